// Observation: elections as the store shows them, and the end of a term by somebody else's hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "members.hpp"
#include "session_context.hpp"
#include "support/texts.hpp"

namespace ballot::zookeeper {

class Observation {
 public:
  Observation(SessionContext& context, Members& members) : context_(context), members_(members) {}

  void observe(const ObserveCall& call);
  void evict(const EvictCall& call);

 private:
  /// A candidate as it is found: its place, its node, then what its session published.
  struct Seen {
    std::int32_t sequence = 0;
    std::uint64_t epoch = 0;
    Candidate candidate;
  };
  struct Group {
    std::string name;
    TermRecord term;
    std::vector<Seen> seen;
    bool exists = false;
  };
  /// A call under way.
  struct Query {
    RequestId request = 0;
    std::vector<Group> groups;
    std::size_t open = 0;
    int rc = ZOK;
  };
  using Shared = std::shared_ptr<Query>;

  void query_group(const Shared& query, std::size_t index);
  void query_candidate(const Shared& query, std::size_t group, const std::string& name);
  void query_member(const Shared& query, std::size_t group, std::size_t seen, std::int64_t owner);
  void arrived(const Shared& query, int rc);
  static Election election(Group group);

  void find_leader(RequestId request, const std::string& group, const TermRecord& term);
  void answer(RequestId request, WriteAnswer answer);

  SessionContext& context_;
  Members& members_;
};

}  // namespace ballot::zookeeper
