// RouteTable: which route a request is for. Thread: plain value; the routes do not change.
//
//   const auto found = table.find("GET", {"api", "v1", "jobs", "nightly"});
//   if (found.route != nullptr) ... found.parameters
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/exchange.hpp"

namespace ballot::web {

class RouteTable {
 public:
  explicit RouteTable(Routes routes);

  struct Found {
    const Route* route = nullptr;  // none: nothing lies there, or not for this method
    Pairs parameters;
    std::string allow;  // methods of the path, as the header Allow has them; "": nothing lies there
  };
  /// HEAD finds what GET does.
  Found find(std::string_view method, const std::vector<std::string>& path) const;
  Routes all() const;

 private:
  struct Entry {
    Route route;
    std::vector<std::string> segments;
    std::size_t parameters = 0;
  };
  std::vector<Entry> entries_;  // those with fewer parameters first
};

}  // namespace ballot::web
