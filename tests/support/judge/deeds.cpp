#include "support/judge/deeds.hpp"

#include <algorithm>
#include <set>

namespace ballot::testing {
namespace {

/// Of `pause tick` the job, of `pause --group default` the group.
std::pair<std::string, bool> named(const Deed& deed) {
  for (std::size_t i = 1; i < deed.words.size(); ++i) {
    if (deed.words[i] == "--group" && i + 1 < deed.words.size()) return {deed.words[i + 1], true};
    if (!deed.words[i].starts_with("--")) return {deed.words[i], false};
  }
  return {"", false};
}

bool is(const Deed& deed, const char* word) { return !deed.words.empty() && deed.words[0] == word; }

bool ends_a_term(const Deed& deed) {
  return is(deed, "resign") || (is(deed, "election") && deed.words.size() > 1 && deed.words[1] == "evict");
}

}  // namespace

Deeds::Deeds(const std::vector<Deed>& deeds)
    : deeds_([&] {
        std::vector<Deed> sorted = deeds;
        std::stable_sort(sorted.begin(), sorted.end(), [](const Deed& a, const Deed& b) { return a.from < b.from; });
        return sorted;
      }()) {
  for (const Deed& deed : deeds_) {
    add_fault(deed);
    if (is(deed, "pause")) hold(pauses_, deed, true);
    if (is(deed, "resume")) hold(pauses_, deed, false);
    if (is(deed, "repair")) hold(halts_, deed, false);
    if (!is(deed, "halt")) continue;
    for (const bool of_group : {false, true})  // a job's name, or a group's
      halts_.push_back({.name = deed.words.at(1), .of_group = of_group, .asked = deed.from, .acknowledged = deed.from});
  }
}

void Deeds::add_fault(const Deed& deed) {
  static const std::set<std::string> begin{"KILL", "STOP", "TERM", "fault"}, end{"start", "CONT", "healed"};
  if (deed.words.empty()) return;
  if (end.contains(deed.words[0])) end_faults(deed.node, deed.until);
  if (begin.contains(deed.words[0])) faults_.push_back({deed.node, deed.from});
  if (ends_a_term(deed)) faults_.push_back({"", deed.from, deed.until});
}

void Deeds::end_faults(const std::string& node, WallTime at) {
  for (Span& fault : faults_)
    if (fault.node == node && fault.until == WallTime::max()) fault.until = at;
}

void Deeds::hold(std::vector<Hold>& holds, const Deed& deed, bool begins) {
  const auto [name, of_group] = named(deed);
  if (begins) return holds.push_back({name, of_group, deed.from, deed.done ? deed.until : WallTime::max()});
  for (Hold& one : holds) {
    if (one.name != name || one.of_group != of_group || one.asked > deed.from) continue;
    one.resume_asked = std::min(one.resume_asked, deed.from);
    if (deed.done) one.resumed = std::min(one.resumed, deed.until);
  }
}

bool Deeds::fault(const std::string& node, WallTime since, WallTime to) const {
  return std::any_of(faults_.begin(), faults_.end(), [&](const Span& one) {
    return (node.empty() || one.node.empty() || one.node == node) && one.meets(since, to);
  });
}

bool Deeds::changed(WallTime since, WallTime to) const {
  const auto within = [&](WallTime at) { return at >= since && at <= to; };
  return std::any_of(faults_.begin(), faults_.end(), [&](const Span& one) {
    return within(one.from) || within(one.until) || (one.node.empty() && one.meets(since, to));
  });
}

WallTime Deeds::first_fault(const std::string& node, WallTime after) const {
  WallTime first = WallTime::max();
  for (const Span& one : faults_)
    if ((one.node.empty() || one.node == node) && one.until >= after)
      first = std::min(first, std::max(one.from, after));
  return first;
}

bool Deeds::was_asked_to_stop(const std::string& node, WallTime since) const {
  return std::any_of(deeds_.begin(), deeds_.end(), [&](const Deed& deed) {
    return deed.from >= since && ((is(deed, "TERM") && deed.node == node) || ends_a_term(deed));
  });
}

bool Deeds::edited(const std::string& job, WallTime since, WallTime to) const {
  return std::any_of(deeds_.begin(), deeds_.end(), [&](const Deed& deed) {
    return is(deed, "edit") && deed.words.at(1) == job && deed.from >= since && deed.from <= to;
  });
}

bool Deeds::may_be_paused(const std::string& job, const std::string& group, WallTime since, WallTime to) const {
  return std::any_of(pauses_.begin(), pauses_.end(), [&](const Hold& pause) {
    return pause.concerns(job, group) && pause.asked <= to && pause.resumed >= since;
  });
}

bool Deeds::is_paused(const std::string& job, const std::string& group, WallTime at) const {
  return std::any_of(pauses_.begin(), pauses_.end(), [&](const Hold& pause) {
    return pause.concerns(job, group) && pause.acknowledged < at && pause.resume_asked > at;
  });
}

bool Deeds::was_halted(const std::string& job, const std::string& group, WallTime at) const {
  return std::any_of(halts_.begin(), halts_.end(),
                     [&](const Hold& halt) { return halt.concerns(job, group) && halt.resumed >= at; });
}

std::ptrdiff_t Deeds::halts(const std::string& group, WallTime at) const {
  return std::count_if(halts_.begin(), halts_.end(),
                       [&](const Hold& halt) { return halt.concerns("", group) && halt.asked <= at; });
}

bool Deeds::asked(const std::string& command, const RunId& run, const std::string& job) const {
  const std::string id = run.text();
  return std::any_of(deeds_.begin(), deeds_.end(), [&](const Deed& deed) {
    return is(deed, command.c_str()) &&
           std::any_of(deed.words.begin() + 1, deed.words.end(),
                       [&](const std::string& word) { return word == job || id.find(word) != std::string::npos; });
  });
}

}  // namespace ballot::testing
