#include "library/shown/definition_values.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/duration.hpp"
#include "base/wall_text.hpp"
#include "config/words.hpp"
#include "library/shown/values.hpp"
#include "schedule/after.hpp"

namespace ballot::library {
namespace {

using storage::DefinitionChange;

/// `after extract, clean` for what a ledger keeps as `@after extract,clean succeeded, as extract`; any other as it is.
std::string words_of_schedule(const std::string& expression) {
  const auto after = schedule::parse_after(expression);
  if (!after) return expression;
  std::string text;
  for (const std::string& job : after->jobs) text.append(text.empty() ? "after " : ", ").append(job);
  if (after->status != AfterStatus::succeeded)
    text.append(after->jobs.size() > 1 ? " have " : " has ").append(schedule::to_string(after->status));
  return after->has_slots_of_first ? text : text + ", at times of its own";
}

std::optional<std::string> text_of(const std::vector<std::string>& expressions) {
  std::string text;
  for (const std::string& one : expressions) text += (text.empty() ? "" : "; ") + words_of_schedule(one);
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> text_of(const std::optional<WallTime>& time) {
  return time ? std::optional(format_slot(*time)) : std::nullopt;
}

std::optional<std::string> text_of(Millis duration) {
  return duration.count() > 0 ? std::optional(format_duration(duration)) : std::nullopt;
}

std::optional<std::string> text_of(Concurrency concurrency) {
  for (const auto& [text, value] : config::concurrency_words)
    if (value == concurrency) return std::string(text);
  return std::nullopt;
}

std::string text_of(bool flag) { return flag ? "true" : "false"; }

/// Of a job that is new, what differs from a job file that has no such key.
class Comparison {
 public:
  explicit Comparison(bool is_new) : is_new_(is_new) {}

  void add(std::string_view name, std::optional<std::string> before, std::optional<std::string> after) {
    if (before == after) return;
    if (is_new_) before.reset();
    keys_.push_back({name, std::move(before), std::move(after)});
  }
  std::vector<KeyChange> take() { return std::move(keys_); }

 private:
  const bool is_new_;
  std::vector<KeyChange> keys_;
};

void add_policies(Comparison& keys, const DefinitionRow& before, const DefinitionRow& after) {
  keys.add("enabled", text_of(before.enabled), text_of(after.enabled));
  keys.add("jitter", text_of(before.jitter), text_of(after.jitter));
  keys.add("start_deadline", text_of(before.start_deadline), text_of(after.start_deadline));
  keys.add("concurrency", text_of(before.concurrency), text_of(after.concurrency));
  keys.add("retries", std::to_string(before.retries), std::to_string(after.retries));
  const auto guarantee = [](bool at_least_once) { return at_least_once ? "at-least-once" : "at-most-once"; };
  keys.add("guarantee", guarantee(before.at_least_once), guarantee(after.at_least_once));
  // The ledger keeps one word for both keys.
  const auto rerun = [](bool reruns) { return reruns ? std::optional<std::string>("rerun") : std::nullopt; };
  keys.add("on_success or on_error", rerun(before.reruns), rerun(after.reruns));
}

}  // namespace

std::vector<KeyChange> changed_keys(const DefinitionChange& change) {
  const DefinitionRow& after = change.row;
  const bool is_new = change.is_first;
  if (after.digest.empty() || (!is_new && !change.replaced)) return {};
  const DefinitionRow before = is_new ? DefinitionRow() : *change.replaced;
  // What no node's files say is known by the job's register alone, which has no expression of a job that is disabled.
  const bool are_known = storage::has_all_keys(after) && (is_new || storage::has_all_keys(before));
  Comparison keys(is_new);
  if (are_known || (!before.schedule.empty() && !after.schedule.empty()))
    keys.add("schedule", text_of(before.schedule), text_of(after.schedule));
  keys.add("timezone", before.timezone, after.timezone);
  keys.add("not_before", text_of(before.not_before), text_of(after.not_before));
  keys.add("not_after", text_of(before.not_after), text_of(after.not_after));
  if (are_known) add_policies(keys, before, after);
  return keys.take();
}

namespace {

/// What DefinitionRow::keys has of a key; "": the file does not set it.
std::map<std::string_view, std::string_view> words_of(std::string_view keys) {
  std::map<std::string_view, std::string_view> words;
  while (!keys.empty()) {
    const std::string_view word = keys.substr(0, keys.find(' '));
    const std::size_t name = std::min(word.find('='), word.size());
    words[word.substr(0, name)] = word.substr(name);
    keys.remove_prefix(std::min(word.size() + 1, keys.size()));
  }
  return words;
}

bool are_keys_known(const DefinitionChange& change) {
  return change.replaced && !change.replaced->keys.empty() && !change.row.keys.empty();
}

/// Of which changed_keys() says the values.
constexpr std::string_view keys_with_values[] = {"concurrency", "enabled",    "guarantee",      "jitter",
                                                 "not_after",   "not_before", "on_error",       "on_success",
                                                 "retries",     "schedule",   "start_deadline", "timezone"};

}  // namespace

std::vector<std::string> other_keys(const DefinitionChange& change) {
  if (!are_keys_known(change)) return {};
  auto before = words_of(change.replaced->keys), after = words_of(change.row.keys);
  std::set<std::string> names;
  // Groups are known by their numbers, which are a node's; those of a user need no key.
  const bool other_groups = change.row.node == change.replaced->node && before["groups"] != after["groups"];
  if (other_groups || before["user"] != after["user"]) names.emplace("user or groups");
  for (const std::string_view name : {"user", "groups"}) before.erase(name), after.erase(name);
  for (const std::string_view name : keys_with_values) before.erase(name), after.erase(name);
  for (const auto& [name, word] : before)
    if (after[name] != word) names.emplace(name);
  for (const auto& [name, word] : after)
    if (before[name] != word) names.emplace(name);
  return {names.begin(), names.end()};
}

std::string_view word_of(const DefinitionChange& change) {
  if (change.row.digest.empty()) return "removed";
  return change.is_first ? "added" : "changed";
}

namespace {

std::string text_of_keys(const DefinitionChange& change) {
  std::string text;
  for (const KeyChange& key : changed_keys(change)) {
    text.append(text.empty() ? "" : ", ").append(key.name).append(": ");
    if (!change.is_first) text += key.before.value_or("none") + " -> ";
    text += key.after.value_or("none");
  }
  if (change.is_first) return text;
  for (const std::string& name : other_keys(change)) text += (text.empty() ? "" : ", ") + name;
  if (!text.empty() && are_keys_known(change)) return text;
  if (!text.empty()) return text + ", and perhaps other keys, of which the ledger keeps no values";
  if (change.row.digest.empty()) return "no file defines it";
  if (!change.replaced) return "what it was before is not known";
  return "other keys, of which the ledger keeps no values";
}

}  // namespace

std::string text_of(const DefinitionChange& change) {
  std::string text = text_of_keys(change);
  if (change.is_at_latest) text.append(text.empty() ? "" : "; ").append("when is not known: by then at the latest");
  return text;
}

io::Message shown(const DefinitionChange& change) {
  std::vector<io::Message> keys;
  const auto value = [](const std::optional<std::string>& text) {
    return text ? io::Message::Value(*text) : io::Message::Value();
  };
  for (const KeyChange& key : changed_keys(change))
    keys.push_back(io::Message()
                       .set("key", std::string(key.name))
                       .set("before", value(key.before))
                       .set("after", value(key.after)));
  io::Message shown;
  shown.set("at", format_millis(change.row.from))
      .set("at_latest", change.is_at_latest)
      .set("job", change.row.job)
      .set("group", change.row.group);
  shown.set("change", std::string(word_of(change))).set("nodes", change.nodes);
  shown.set("digest", word_or_null(change.row.digest)).set("digest_before", word_or_null(change.before));
  shown.set("keys", std::move(keys)).set("other_keys", other_keys(change));
  return shown.set("text", word_or_null(text_of(change)));
}

}  // namespace ballot::library
