#include "state.hpp"

#include <chrono>

namespace ballot::nats {

using namespace std::chrono_literals;

namespace {

constexpr Millis shortest_age = 1s, low_age = 5s, high_age = 1min, too_high_age = 1h, shortest_window = 30s;

std::string duration(Millis time) {
  return time % 1s == 0ms ? std::to_string(time / 1s) + "s" : std::to_string(time.count()) + "ms";
}

std::string bucket_of(const StreamFacts& facts) { return facts.name.substr(facts.name.find('_') + 1); }

std::string replicas_text(const StreamFacts& facts) {
  if (facts.kept_by.empty()) return "1";
  std::string text;
  for (const Replica& one : facts.kept_by) {
    text += (text.empty() ? "" : ", ") + one.name;
    if (one.leads) text += " (leader)";
    if (one.offline) text += " (offline)";
  }
  return text;
}

void warn_of(const StreamFacts& facts, std::vector<std::string>& warnings) {
  const auto say = [&](const std::string& text) { warnings.push_back("bucket " + bucket_of(facts) + ": " + text); };
  if (facts.clustered && facts.leader.empty()) say("no cluster leader");
  for (const Replica& one : facts.kept_by) {
    if (one.offline)
      say("replica " + one.name + " is offline");
    else if (!one.current)
      say("replica " + one.name + " is not current, with " + std::to_string(one.lag) + " lag");
  }
  if (facts.storage != "file") say("it is kept in memory: a restart of the servers loses it");
  if (facts.history != 1) say("it keeps more than the last value of each key: this is not a valid election bucket");
}

std::string fault_of_any(const StreamFacts& facts, const StreamConfig& wanted) {
  const std::string name = "bucket " + bucket_of(facts);
  if (facts.subjects != std::vector<std::string>{wanted.subject})
    return name + " is no bucket of keys: stream " + facts.name + " takes other subjects than " + wanted.subject;
  constexpr const char* ours = "ballot: ";
  if (facts.description.starts_with(ours) && facts.description != wanted.description)
    return name + " is used for something else (" + facts.description + "): set [nats] bucket to another name";
  if (facts.mirror || facts.sealed) return name + " cannot be written to: it is a mirror, or sealed";
  if (facts.deny_delete) return name + " does not allow its messages to be deleted: remove it, and let ballot make it";
  return {};
}

}  // namespace

std::string fault_of_registers(const StreamFacts& facts, const StreamConfig& wanted) {
  if (std::string fault = fault_of_any(facts, wanted); !fault.empty()) return fault;
  const std::string name = "bucket " + bucket_of(facts);
  if (facts.max_age > 0ms)
    return name + " has a maximum age (" + duration(facts.max_age) + "): what was decided would be forgotten";
  if (facts.window < shortest_window)
    return name + " knows message ids for " + duration(facts.window) + " only: its duplicate window must be at least " +
           duration(shortest_window);
  return {};
}

std::string fault_of_sessions(const StreamFacts& facts, const StreamConfig& wanted) {
  if (std::string fault = fault_of_any(facts, wanted); !fault.empty()) return fault;
  const std::string name = "bucket " + bucket_of(facts);
  if (facts.max_age < shortest_age)
    return name + " has " + (facts.max_age == 0ms ? "no maximum age" : "a maximum age of " + duration(facts.max_age)) +
           ": it must be session_timeout, at least " + duration(shortest_age);
  if (facts.window < facts.max_age / 2)
    return name + " knows message ids for " + duration(facts.window) + " only: its duplicate window must be half of " +
           duration(facts.max_age) + " at least";
  return {};
}

StoreState state_of(const StreamFacts& registers, const StreamFacts& sessions, const SelfTest& tried) {
  StoreState state;
  const auto add = [&](const char* name, std::string value) { state.facts.emplace_back(name, std::move(value)); };
  for (const StreamFacts* facts : {&registers, &sessions}) {
    const bool of_sessions = facts == &sessions;
    const char* const what = of_sessions ? "sessions" : "bucket";
    if (facts->failure.code == error::stream_not_found) {
      add(what, "not made yet");
      continue;
    }
    if (facts->failure) {
      state.warnings.push_back(std::string("the ") + what + " cannot be looked at: " + facts->failure.text);
      continue;
    }
    add(what, bucket_of(*facts));
    if (of_sessions) add("maximum age", duration(facts->max_age));
    if (!of_sessions) add("history", facts->history == 0 ? "all" : std::to_string(facts->history));
    add("created", facts->created.substr(0, facts->created.find_first_of(".Z")) + "Z");
    add("storage", facts->storage);
    add("replicas", replicas_text(*facts));
    add("values", std::to_string(facts->values));
    warn_of(*facts, state.warnings);
  }
  if (tried.how == SelfTest::How::done) add("plain updates", tried.plain_doubled == 0 ? "atomic" : "not atomic");
  if (tried.plain_doubled > 0)
    state.warnings.push_back(
        "plain updates are not atomic on these servers: ballot's own carry message ids, others' do not");
  if (sessions.failure) return state;
  if (sessions.max_age < low_age)
    state.warnings.push_back("maximum age too low (" + duration(sessions.max_age) + ", less than 5s)");
  else if (sessions.max_age > too_high_age)
    state.warnings.push_back("maximum age too high (" + duration(sessions.max_age) + ", more than 1h)");
  else if (sessions.max_age > high_age)
    state.warnings.push_back("maximum age very high (" + duration(sessions.max_age) + ", more than 1m)");
  return state;
}

}  // namespace ballot::nats
