// Queue: the queues of elections in ZooKeeper. A session's entry in a group is an ephemeral node with a number; its
// czxid is the term's epoch, and the group's node has the last term. Used on the plugin's thread only.
#pragma once

#include <string>
#include <vector>

#include "members.hpp"
#include "session_context.hpp"
#include "support/queue_store.hpp"

namespace ballot::zookeeper {

class Queue final : public QueueStore {
 public:
  Queue(SessionContext& context, Members& members) : context_(context), members_(members) {}

  void enter(const Names& groups, const Names& texts, Done<std::vector<Made>> done) override;
  void prepare(const Names& groups, Done<> done) override;
  void list(const std::string& group, Priority priority, Done<std::vector<Entry>, std::int64_t> done) override;
  void read_term(const std::string& group, Done<Text> done) override;
  void read_entry(const std::string& group, const std::string& entry, Watched watched, Priority priority,
                  Done<EntryFacts> done) override;
  void remove(const std::string& group, const std::string& entry) override;
  void claim(const std::vector<Claim>& claims, Done<std::vector<std::uint64_t>> done) override;
  void leave(const std::vector<Leave>& leaves, Done<> done) override;
  void find_member(const std::string& node, Done<Member> done) override;
  void barrier(Done<> done) override;
  void groups(Done<Names> done) override;

  bool idle() const override { return context_.client.idle(); }
  std::size_t size_of_entry(const std::string& group) const override;
  std::size_t most_size() const override;
  std::string size_problem() const override;
  std::string place_of(const std::string& group) const override { return context_.paths.group(group); }

 private:
  SessionContext& context_;
  Members& members_;
};

}  // namespace ballot::zookeeper
