// ballot-ping: reads a URL from standard input, so that no list of processes shows it, and pings it. Exit: 0 answered;
// 1 not, with the reason on standard output; 2 usage. Started by the daemon, never by hand.
#include <cstdio>
#include <iostream>
#include <string>

#include "ping/ping.hpp"

int main() {
  std::string url;
  if (!std::getline(std::cin, url) || url.empty()) {
    std::fputs("ballot-ping: no URL on standard input\n", stderr);
    return 2;
  }
  const std::string problem = ballot::ping::ping(url);
  std::puts(problem.c_str());
  return problem.empty() ? 0 : 1;
}
