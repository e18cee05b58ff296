#include "library/held/states_reader.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/instance.hpp"
#include "core/record/move_marks.hpp"
#include "io/clocks.hpp"

namespace ballot::library {
namespace {

constexpr std::size_t names_a_read = 1'000;
constexpr std::size_t registers_at_once = 50;  // a fraction of a millisecond's work

struct Reading {
  Node& node;
  std::vector<std::string> names;
  SteadyTime until;
  std::function<void(const StoredStatesPtr&)> then;
  std::shared_ptr<StoredStates> states;
  std::size_t next = 0;                  // of the names
  std::vector<Register> registers = {};  // that were read,
  std::size_t taken = 0;                 // and so many of them are among the states
};
using ReadingPtr = std::shared_ptr<Reading>;

void read_on(const ReadingPtr& reading);

void take_on(const ReadingPtr& reading) {
  const std::span<const Register> left = std::span(reading->registers).subspan(reading->taken);
  const std::size_t count = std::min(left.size(), registers_at_once);
  reading->states->add(left.first(count));
  reading->taken += count;
  if (count == left.size()) return read_on(reading);
  reading->node.loop().post([reading] { take_on(reading); });
}

void read_on(const ReadingPtr& reading) {
  if (reading->next == reading->names.size()) return reading->then(reading->states);
  const auto first = reading->names.begin() + static_cast<std::ptrdiff_t>(reading->next);
  const std::size_t count = std::min(reading->names.size() - reading->next, names_a_read);
  reading->next += count;
  const auto left = std::chrono::duration_cast<Millis>(reading->until - io::read_clocks().steady);
  reading->node.read({first, first + static_cast<std::ptrdiff_t>(count)}, std::max(left, Millis(0)),
                     [reading](const io::Engine::Registers& registers) {
                       if (!registers) return reading->then(nullptr);
                       reading->registers = *registers, reading->taken = 0;
                       take_on(reading);
                     });
}

/// With the marks of a move. The pauses of all instances come before the instances, see StoredStates.
std::vector<std::string> names_of(const GroupsByJob& jobs) {
  std::set<std::string> pauses, groups;
  for (const auto& [job, group] : jobs) {
    if (is_instance(job)) pauses.insert(core::pause_record(common_name(job)));
    if (!group.empty()) groups.insert(core::group_register(group));
  }
  std::vector<std::string> names(std::begin(core::holding_marks), std::end(core::holding_marks));
  names.insert(names.end(), pauses.begin(), pauses.end());
  names.insert(names.end(), groups.begin(), groups.end());
  for (const auto& [job, group] : jobs) names.push_back(core::job_register(job));
  return names;
}

}  // namespace

void read_states(Node& node, const GroupsByJob& jobs, Millis within, std::function<void(const StoredStatesPtr&)> then,
                 StoredStates states) {
  read_on(std::make_shared<Reading>(Reading{node, names_of(jobs), io::read_clocks().steady + within, std::move(then),
                                            std::make_shared<StoredStates>(std::move(states))}));
}

}  // namespace ballot::library
