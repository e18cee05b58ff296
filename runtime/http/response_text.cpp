#include "http/response_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "http/status.hpp"

namespace ballot::web {
namespace {

/// Nothing from elsewhere is loaded, framed or sent to, whatever a page of ours were made to contain.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> of_each_response{{
    {"Cache-Control", "no-store"},
    {"Content-Security-Policy", content_policy},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Referrer-Policy", "no-referrer"},
    {"X-Content-Type-Options", "nosniff"},
}};

bool is_same_header(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

void put_header(std::string& text, std::string_view name, std::string_view value) {
  const auto put = [&text](std::string_view part) {
    for (const char c : part)
      if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) text += c;
  };
  put(name);
  text += ": ";
  put(value);
  text += "\r\n";
}

std::string date_text(WallTime now) {
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  // Not strftime's names, which are those of the host program's language.
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto two = [](int number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); };
  return std::string(days[parts.tm_wday]) + ", " + two(parts.tm_mday) + ' ' + months[parts.tm_mon] + ' ' +
         std::to_string(parts.tm_year + 1900) + ' ' + two(parts.tm_hour) + ':' + two(parts.tm_min) + ':' +
         two(parts.tm_sec) + " GMT";
}

}  // namespace

std::string head_text(const HttpResponse& response, const Framing& framing, WallTime now) {
  std::string text =
      "HTTP/1.1 " + std::to_string(response.status) + ' ' + std::string(reason_of(response.status)) + "\r\n";
  put_header(text, "Date", date_text(now));
  for (const auto& [name, value] : of_each_response) {
    const auto is_said = [name = name](const auto& header) { return is_same_header(header.first, name); };
    if (std::none_of(response.headers.begin(), response.headers.end(), is_said)) put_header(text, name, value);
  }
  for (const auto& [name, value] : response.headers) put_header(text, name, value);
  if (!response.content_type.empty() && framing.body != Framing::Body::none)
    put_header(text, "Content-Type", response.content_type);
  if (framing.body == Framing::Body::of_length) put_header(text, "Content-Length", std::to_string(framing.length));
  if (framing.body == Framing::Body::chunked) put_header(text, "Transfer-Encoding", "chunked");
  put_header(text, "Connection", framing.keep_alive ? "keep-alive" : "close");
  return text + "\r\n";
}

std::string chunk_text(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  std::string text(size.data(), end);
  text += "\r\n";
  text += bytes;
  return text += "\r\n";
}

}  // namespace ballot::web
