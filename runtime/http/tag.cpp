#include "http/tag.hpp"

#include "base/fnv.hpp"
#include "base/hex.hpp"

namespace ballot::web {
namespace {

/// RFC 9110: a list of tags, weak ones among them, or '*'. A tag of ours has no comma in it.
bool names_tag(const std::string& header, const std::string& tag) {
  return header == "*" || header.find(tag) != std::string::npos;
}

}  // namespace

std::string tag_of(std::string_view body) {
  std::string bytes;
  const std::uint64_t value = Fnv().add(body).value();
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return '"' + to_hex(bytes) + '"';
}

HttpResponse tagged(const HttpRequest& request, HttpResponse response, std::string_view cache_control) {
  const std::string tag = tag_of(response.body);
  return tagged(request, std::move(response), cache_control, tag);
}

HttpResponse tagged(const HttpRequest& request, HttpResponse response, std::string_view cache_control,
                    const std::string& tag) {
  if (const auto known = request.header("if-none-match"); known && names_tag(*known, tag)) response = {304, "", {}, ""};
  response.headers = {{"ETag", tag}, {"Cache-Control", std::string(cache_control)}};
  return response;
}

}  // namespace ballot::web
