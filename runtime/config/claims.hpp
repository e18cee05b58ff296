// Claims: which files say something under a name. Several may; the first in byte order of the files counts.
#pragma once

#include <absl/container/btree_set.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/instance.hpp"
#include "config/group.hpp"
#include "schedule/definition.hpp"

namespace ballot::config {

/// As its file has it.
inline std::string_view name_of(const schedule::DefinitionPtr& definition) { return common_name(definition->job.name); }
inline std::string_view name_of(const Group& group) { return group.name; }

inline std::string at(std::string_view file, Position position) {
  return std::string(file) + ':' + std::to_string(position.line);
}

/// The finding for a second claim. `file` and `position` are the first one's.
inline std::string duplicate_job(std::string_view name, std::string_view file, Position position) {
  return "job " + in_quotes(name) + " is already defined at " + at(file, position) +
         ", and counts there; rename this one";
}
inline std::string duplicate_group(std::string_view name, std::string_view file, Position position) {
  return "group " + in_quotes(name) + " is already defined, and differently, at " + at(file, position) +
         ", and counts there; make them alike or keep one";
}

/// `What` is a DefinitionPtr or a Group.
template <class What>
struct Claim {
  std::string_view file;  // lives longer than the claim
  Position position;
  What what;
};

template <class What>
class Claims {
 public:
  void add(Claim<What> claim) { claims_.insert(claims_.end(), std::move(claim)); }

  void remove(std::string_view name, std::string_view file) {
    if (const auto at = claims_.find(Place{name, file}); at != claims_.end()) claims_.erase(at);
  }

  auto begin() const { return claims_.begin(); }
  auto end() const { return claims_.end(); }

  /// All claims on a name, as two iterators; the one that counts is the first.
  auto on(std::string_view name) const { return claims_.equal_range(name); }

 private:
  using Place = std::pair<std::string_view, std::string_view>;

  struct Order {
    using is_transparent = void;
    static Place place(const Claim<What>& claim) { return {name_of(claim.what), claim.file}; }
    bool operator()(const Claim<What>& a, const Claim<What>& b) const { return place(a) < place(b); }
    bool operator()(const Claim<What>& a, const Place& b) const { return place(a) < b; }
    bool operator()(const Place& a, const Claim<What>& b) const { return a < place(b); }
    bool operator()(const Claim<What>& a, std::string_view name) const { return name_of(a.what) < name; }
    bool operator()(std::string_view name, const Claim<What>& b) const { return name < name_of(b.what); }
  };

  absl::btree_set<Claim<What>, Order> claims_;
};

}  // namespace ballot::config
