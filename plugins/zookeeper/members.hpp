// Members: what other nodes' sessions said of themselves, read once for whoever asks at the same time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "link.hpp"
#include "texts.hpp"

namespace ballot::zookeeper {

class Members {
 public:
  using Found = std::function<void(int rc, const std::optional<MemberRecord>&)>;

  explicit Members(Link& link) : link_(link) {}

  /// None and ZOK: there is none, or it cannot be read.
  void find(const std::string& node, Found found);
  /// What this node's session before said, until this one overwrote it.
  void keep(std::optional<MemberRecord> before) { before_ = std::move(before); }
  const std::optional<MemberRecord>& before() const noexcept { return before_; }

 private:
  Link& link_;
  std::optional<MemberRecord> before_;
  std::map<std::string, std::vector<Found>> asked_;  // by node
};

}  // namespace ballot::zookeeper
