#include "ping/ping.hpp"

#include <curl/curl.h>

#include <memory>
#include <thread>

namespace ballot::ping {
namespace {

constexpr const char* schemes = "http,https";
constexpr long most_redirections = 3;

constexpr std::size_t most_bytes = 64 * 1024;  // of an answer: what follows is not read

/// Passed over, up to most_bytes.
std::size_t count(char*, std::size_t size, std::size_t count, void* seen) {
  std::size_t& bytes = *static_cast<std::size_t*>(seen);
  bytes += size * count;
  return bytes <= most_bytes ? size * count : 0;
}

struct Answer {
  std::string problem;
  bool again = false;  // another try may go better
};

Answer try_once(CURL* curl) {
  char text[CURL_ERROR_SIZE] = "";
  std::size_t body = 0, head = 0;
  ::curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, text);
  ::curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, count);
  ::curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  ::curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, count);
  ::curl_easy_setopt(curl, CURLOPT_HEADERDATA, &head);
  const CURLcode result = ::curl_easy_perform(curl);
  ::curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  const bool hopeless = result == CURLE_URL_MALFORMAT || result == CURLE_UNSUPPORTED_PROTOCOL;
  if (head > most_bytes) return {"its answer does not end", false};
  const bool enough = result == CURLE_WRITE_ERROR && body > most_bytes;  // the status is known by then
  if (result != CURLE_OK && !enough) return {text[0] != '\0' ? text : ::curl_easy_strerror(result), !hopeless};
  long code = 0;
  ::curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
  if (code >= 200 && code < 300) return {};
  return {"it answers HTTP " + std::to_string(code), code >= 500 || code == 429};
}

}  // namespace

std::string ping(const std::string& url, const PingSettings& settings) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(::curl_easy_init(), ::curl_easy_cleanup);
  if (!curl) return "libcurl cannot be used";
  ::curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  ::curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, schemes);
  ::curl_easy_setopt(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, schemes);
  ::curl_easy_setopt(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  ::curl_easy_setopt(curl.get(), CURLOPT_MAXREDIRS, most_redirections);
  ::curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  ::curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(settings.try_limit.count()));
  ::curl_easy_setopt(curl.get(), CURLOPT_USERAGENT, "ballot");
  std::chrono::milliseconds pause = settings.pause;
  Answer answer;
  for (int i = 0; i < settings.tries; ++i) {
    if (i > 0) std::this_thread::sleep_for(pause);
    if (i > 0) pause *= 3;
    answer = try_once(curl.get());
    if (!answer.again) break;
  }
  return answer.problem;
}

}  // namespace ballot::ping
