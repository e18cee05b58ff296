#include "multi.hpp"

namespace ballot::zookeeper {

namespace {

constexpr std::size_t sequence_size = 16;  // that the store appends to a name, and the final 0

}  // namespace

Multi::Kept& Multi::keep(const std::string& path, const std::string& value) {
  ops_.emplace_back();
  return kept_.emplace_back(Kept{path, value, {}, {}});
}

Multi& Multi::check(const std::string& path) {
  const Kept& kept = keep(path, {});
  zoo_check_op_init(&ops_.back(), kept.path.c_str(), -1);
  return *this;
}

Multi& Multi::create(const std::string& path, const std::string& value, int mode) {
  Kept& kept = keep(path, value);
  kept.created.resize(path.size() + sequence_size);
  zoo_create_op_init(&ops_.back(), kept.path.c_str(), kept.value.data(), static_cast<int>(kept.value.size()), acl_,
                     mode, kept.created.data(), static_cast<int>(kept.created.size()));
  return *this;
}

Multi& Multi::set(const std::string& path, const std::string& value, int version) {
  Kept& kept = keep(path, value);
  zoo_set_op_init(&ops_.back(), kept.path.c_str(), kept.value.data(), static_cast<int>(kept.value.size()), version,
                  &kept.stat);
  return *this;
}

Multi& Multi::remove(const std::string& path) {
  const Kept& kept = keep(path, {});
  zoo_delete_op_init(&ops_.back(), kept.path.c_str(), -1);
  return *this;
}

zoo_op_result_t* Multi::results() {
  results_.assign(ops_.size(), {});
  return results_.data();
}

std::vector<OpAnswer> Multi::answers() const {
  std::vector<OpAnswer> answers;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    OpAnswer& answer = answers.emplace_back();
    answer.rc = results_[i].err;
    if (!kept_[i].created.empty() && answer.rc == ZOK) answer.path = kept_[i].created.data();
    answer.stat = kept_[i].stat;
  }
  return answers;
}

}  // namespace ballot::zookeeper
