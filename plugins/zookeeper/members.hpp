// Members: what other nodes' sessions published of themselves, and which of them are open; callers that ask at the same
// time share one read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session_context.hpp"
#include "support/queue_store.hpp"
#include "support/texts.hpp"

namespace ballot::zookeeper {

class Members {
 public:
  /// `rc` is ZOK also where nothing is known of the node.
  using Found = std::function<void(int rc, const QueueStore::Member& member)>;

  explicit Members(SessionContext& context) : context_(context) {}

  void find(const std::string& node, Found found);
  /// What this node's session before published, until this one overwrote it.
  void keep(std::optional<MemberRecord> before) { before_ = std::move(before); }
  const std::optional<MemberRecord>& before() const noexcept { return before_; }

 private:
  void answer(const std::string& node, int rc, const QueueStore::Member& member);

  SessionContext& context_;
  std::optional<MemberRecord> before_;
  std::map<std::string, std::vector<Found>> asked_;  // by node
};

}  // namespace ballot::zookeeper
