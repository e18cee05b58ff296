#include "state.hpp"

#include <chrono>

namespace ballot::nats {

using namespace std::chrono_literals;
using namespace http;

namespace {

constexpr Millis shortest_age = 1s, low_age = 5s, high_age = 1min, too_high_age = 1h, shortest_window = 30s;

std::string duration(Millis time) {
  return time % 1s == 0ms ? std::to_string(time / 1s) + "s" : std::to_string(time.count()) + "ms";
}

std::string text_in(const json::value& in, const char* name) { return std::string(text_at(in, name)); }

std::string bucket_of(const json::value& info) {
  const std::string stream = text_in(at(info, "config"), "name");
  return stream.substr(stream.find('_') + 1);
}

/// The leader first.
std::string replicas_text(const json::value& cluster) {
  std::string text = text_in(cluster, "leader");
  if (!text.empty()) text += " (leader)";
  for (const json::value& one : array_at(cluster, "replicas"))
    text += (text.empty() ? "" : ", ") + text_in(one, "name") + (truth_at(one, "offline") ? " (offline)" : "");
  return text.empty() ? "1" : text;
}

void warn_of(const json::value& info, std::vector<std::string>& warnings) {
  const auto say = [&](const std::string& text) { warnings.push_back("bucket " + bucket_of(info) + ": " + text); };
  const json::value& cluster = at(info, "cluster");
  if (!text_at(cluster, "name").empty() && text_at(cluster, "leader").empty()) say("no cluster leader");
  for (const json::value& one : array_at(cluster, "replicas")) {
    const std::string replica = "replica " + text_in(one, "name");
    if (truth_at(one, "offline"))
      say(replica + " is offline");
    else if (!truth_at(one, "current"))
      say(replica + " is not current, with " + std::to_string(number_at(one, "lag")) + " lag");
  }
  if (text_at(info, "config", "storage") != "file") say("it is kept in memory: a restart of the servers loses it");
  if (number_at(info, "config", "max_msgs_per_subject") != 1)
    say("it keeps more than the last value of each key: this is not a valid election bucket");
}

std::string warning_of_age(Millis age) {
  const auto say = [&](const char* how, const char* than) {
    return "maximum age " + std::string(how) + " (" + duration(age) + ", " + than + ")";
  };
  if (age < low_age) return say("too low", "less than 5s");
  if (age > too_high_age) return say("too high", "more than 1h");
  return age > high_age ? say("very high", "more than 1m") : "";
}

}  // namespace

std::string fault_of(const json::value& info, const StreamConfig& wanted) {
  const std::string name = "bucket " + wanted.bucket;
  const json::value& config = at(info, "config");
  const std::string subjects = all_subjects_of(wanted.bucket), description = text_in(config, "description");
  if (at(config, "subjects") != json::array{subjects})
    return name + " is no bucket of keys: stream " + text_in(config, "name") + " takes other subjects than " + subjects;
  if (description.starts_with("ballot: ") && description != wanted.description)
    return name + " is used for something else (" + description + "): set [nats] bucket to another name";
  if (!at(config, "mirror").is_null() || truth_at(config, "sealed"))
    return name + " cannot be written to: it is a mirror, or sealed";
  if (truth_at(config, "deny_delete"))
    return name + " does not allow its messages to be deleted: remove it, and let ballot make it";
  const Millis age = millis_at(config, "max_age"), window = millis_at(config, "duplicate_window");
  const std::string knows =
      name + " knows message ids for " + duration(window) + " only: its duplicate window must be ";
  if (wanted.max_age == 0ms) {
    if (age > 0ms) return name + " has a maximum age (" + duration(age) + "): what was decided would be forgotten";
    return window < shortest_window ? knows + "at least " + duration(shortest_window) : "";
  }
  if (age < shortest_age)
    return name + " has " + (age == 0ms ? "no maximum age" : "a maximum age of " + duration(age)) +
           ": it must be session_timeout, at least " + duration(shortest_age);
  return window < age / 2 ? knows + "half of " + duration(age) + " at least" : "";
}

StoreState state_of(const Answer& registers, const Answer& sessions, const SelfTest& tried) {
  StoreState state;
  const auto add = [&](const char* name, std::string value) { state.facts.emplace_back(name, std::move(value)); };
  for (const Answer* one : {&registers, &sessions}) {
    const bool of_sessions = one == &sessions;
    const char* const what = of_sessions ? "sessions" : "bucket";
    if (one->code == error::stream_not_found) {
      add(what, "not made yet");
      continue;
    }
    if (one->failed()) {
      state.warnings.push_back(std::string("the ") + what + " cannot be looked at: " + one->text);
      continue;
    }
    const json::value &info = one->content, &config = at(info, "config");
    const std::uint64_t history = number_at(config, "max_msgs_per_subject");
    const std::string created = text_in(info, "created");
    add(what, bucket_of(info));
    if (of_sessions) add("maximum age", duration(millis_at(config, "max_age")));
    if (!of_sessions) add("history", history == 0 ? "all" : std::to_string(history));
    add("created", created.substr(0, created.find_first_of(".Z")) + "Z");
    add("storage", text_in(config, "storage"));
    add("replicas", replicas_text(at(info, "cluster")));
    add("values", std::to_string(number_at(info, "state", "messages")));
    warn_of(info, state.warnings);
  }
  if (tried.rounds > 0) add("plain updates", tried.plain_doubled == 0 ? "atomic" : "not atomic");
  if (tried.plain_doubled > 0)
    state.warnings.push_back(
        "plain updates are not atomic on these servers: ballot's own carry message ids, others' do not");
  const std::string age = sessions.failed() ? "" : warning_of_age(millis_at(sessions.content, "config", "max_age"));
  if (!age.empty()) state.warnings.push_back(age);
  return state;
}

}  // namespace ballot::nats
