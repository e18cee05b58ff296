// Ping: one GET of a URL for its effect, tried anew where the other side may only have stumbled. The room of libcurl.
// Knows nothing of jobs. Blocks; one thread.
//
//   if (const std::string problem = ping("https://hc-ping.com/UUID/start?rid=..."); !problem.empty()) ...
#pragma once

#include <chrono>
#include <string>

namespace ballot::ping {

struct PingSettings {
  std::chrono::milliseconds try_limit{10'000};  // for one try, as Healthchecks advises
  int tries = 3;                                // of an address that is not reached, or answers 5xx or 429
  std::chrono::milliseconds pause{1'000};       // before the second one; three times as long before the third
};

/// "" once somebody has answered 2xx; else why not, in a line without the URL, which may be a secret. http and https
/// only, also where it is led on to, at most three times; of an answer the first 64 KiB are read, and not looked
/// at.
std::string ping(const std::string& url, const PingSettings& settings = {});

}  // namespace ballot::ping
