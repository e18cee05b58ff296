// Multi: several changes that happen together or not at all, in one transaction of the store. Owns its texts and its
// results. Knows nothing of what they mean.
//
//   auto multi = std::make_unique<Multi>(acl);
//   multi->check(own).set(path, text, version);
//   client.commit(std::move(multi), [](const Reply& reply) { ... reply.ops[1].stat.version ... });
#pragma once

#include <zookeeper/zookeeper.h>

#include <deque>
#include <string>
#include <vector>

namespace ballot::zookeeper {

/// What became of one change of a Multi.
struct OpAnswer {
  int rc = ZOK;
  std::string path;  // of what was created
  Stat stat{};       // of what was set
};

/// Registers in one of many: 10 KB.
inline constexpr std::size_t most_changes = 50;

class Multi {
 public:
  /// `acl`: of what it creates; outlives it.
  explicit Multi(const ACL_vector* acl) : acl_(acl) {}
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  Multi& check(const std::string& path);
  Multi& create(const std::string& path, const std::string& value, int mode);
  /// `version` -1: any.
  Multi& set(const std::string& path, const std::string& value, int version);
  Multi& remove(const std::string& path);

  std::size_t size() const noexcept { return ops_.size(); }
  const std::vector<zoo_op_t>& ops() const noexcept { return ops_; }
  /// Where the client writes its results; as many as there are changes.
  zoo_op_result_t* results();
  std::vector<OpAnswer> answers() const;

 private:
  struct Kept {
    std::string path, value;
    std::vector<char> created;
    Stat stat{};
  };
  Kept& keep(const std::string& path, const std::string& value);

  const ACL_vector* acl_;
  std::deque<Kept> kept_;  // stays where it is
  std::vector<zoo_op_t> ops_;
  std::vector<zoo_op_result_t> results_;
};

}  // namespace ballot::zookeeper
