#include "library/history/definition_wire.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/words.hpp"
#include "library/history/ledger_questions.hpp"
#include "library/history/wire_values.hpp"

namespace ballot::library {
namespace {

using io::Message;
using storage::BegunDefinition;
using storage::DefinitionFilter;
using storage::DefinitionKey;
using storage::DefinitionPosition;

constexpr std::array<std::string_view, 4> basis_words{"taken_over", "defined", "created", "repaired"};

std::optional<Basis> basis_of(const std::string& word) {
  const auto found = std::find(basis_words.begin(), basis_words.end(), word);
  return found == basis_words.end() ? std::nullopt : std::optional(static_cast<Basis>(found - basis_words.begin()));
}

std::optional<Concurrency> concurrency_of(const std::string& word) {
  for (const auto& [text, value] : config::concurrency_words)
    if (word == text) return value;
  return std::nullopt;
}

std::string word_of(Concurrency concurrency) {
  for (const auto& [text, value] : config::concurrency_words)
    if (concurrency == value) return std::string(text);
  return "";
}

void set_keys(Message& message, const DefinitionRow& row) {
  message.set("schedule", row.schedule).set("timezone", row.timezone).set("enabled", row.enabled);
  if (row.not_before) message.set("not_before", in_ms(*row.not_before));
  if (row.not_after) message.set("not_after", in_ms(*row.not_after));
  message.set("jitter", std::int64_t{row.jitter.count()});
  message.set("start_deadline", std::int64_t{row.start_deadline.count()});
  message.set("concurrency", word_of(row.concurrency));
  message.set("retries", std::int64_t{row.retries}).set("at_least_once", row.at_least_once).set("reruns", row.reruns);
}

/// False: one of them cannot be read.
bool read_keys(const Message& message, DefinitionRow& row) {
  const auto concurrency = concurrency_of(text_under(message, "concurrency"));
  const std::int64_t jitter = message.integer("jitter").value_or(-1), retries = message.integer("retries").value_or(-1),
                     start_deadline = message.integer("start_deadline").value_or(-1);
  if (!concurrency || jitter < 0 || start_deadline < 0 || retries < 0 || retries > 1'000'000) return false;
  row.schedule = message.texts("schedule");
  row.timezone = text_under(message, "timezone");
  row.enabled = message.flag("enabled").value_or(true);
  row.not_before = instant_of(message, "not_before");
  row.not_after = instant_of(message, "not_after");
  row.jitter = Millis(jitter);
  row.start_deadline = Millis(start_deadline);
  row.concurrency = *concurrency;
  row.retries = static_cast<int>(retries);
  row.at_least_once = message.flag("at_least_once").value_or(false);
  row.reruns = message.flag("reruns").value_or(false);
  return true;
}

}  // namespace

Message to_message(const BegunDefinition& one) {
  const DefinitionRow& row = one.row;
  Message message;
  message.set("job", row.job).set("group", row.group).set("node", row.node).set("from", in_ms(row.from));
  message.set("written", one.written).set("epoch", static_cast<std::int64_t>(row.epoch));
  message.set("basis", std::string(basis_words[static_cast<std::size_t>(row.basis)])).set("digest", row.digest);
  set_keys(message, row);
  if (!row.keys.empty()) message.set("keys", row.keys);
  if (row.before > 0) message.set("epoch_before", static_cast<std::int64_t>(row.before));
  if (one.before) message.set("before", *one.before);
  if (one.before_from) message.set("before_from", in_ms(*one.before_from));
  return message;
}

Result<BegunDefinition> definition_from(const Message& message) {
  const auto from = instant_of(message, "from");
  const auto written = message.integer("written"), epoch = message.integer("epoch");
  const auto basis = basis_of(text_under(message, "basis"));
  BegunDefinition one;
  one.row.job = text_under(message, "job");
  if (one.row.job.empty() || !from || !written || !epoch || !basis || !read_keys(message, one.row))
    return Error{Errc::corrupt, "an answer with an unreadable definition"};
  one.row.group = text_under(message, "group");
  one.row.node = text_under(message, "node");
  one.row.from = *from;
  one.row.epoch = static_cast<std::uint64_t>(*epoch);
  one.row.before = static_cast<std::uint64_t>(std::max(std::int64_t{0}, message.integer("epoch_before").value_or(0)));
  one.row.basis = *basis;
  one.row.digest = text_under(message, "digest");
  one.row.keys = text_under(message, "keys");
  one.written = *written;
  one.before = message.text("before");
  one.before_from = instant_of(message, "before_from");
  return one;
}

Message to_message(const DefinitionPosition& position) {
  Message message;
  message.set("from", in_ms(position.from)).set("job", position.job).set("node", position.node);
  return message.set("written", position.written);
}

std::optional<DefinitionPosition> definition_position_from(const Message& message) {
  const auto from = instant_of(message, "from");
  const auto written = message.integer("written");
  if (!from || !written) return std::nullopt;
  return DefinitionPosition{*from, text_under(message, "job"), text_under(message, "node"), *written};
}

Message to_message(const DefinitionFilter& filter) {
  Message message;
  message.set("jobs", filter.jobs).set("groups", filter.groups).set("nodes", filter.nodes);
  if (filter.since) message.set("since", in_ms(*filter.since));
  if (filter.until) message.set("until", in_ms(*filter.until));
  std::vector<Message> keys;
  for (const DefinitionKey& key : filter.of) keys.push_back(Message().set("job", key.job).set("digest", key.digest));
  if (!keys.empty()) message.set("of", std::move(keys));
  if (filter.after) message.set("after", std::vector{to_message(*filter.after)});
  if (filter.limit) message.set("limit", *filter.limit);
  return message;
}

Result<DefinitionFilter> definition_filter_from(const Message& message) {
  DefinitionFilter filter{.jobs = message.texts("jobs"),
                          .groups = message.texts("groups"),
                          .nodes = message.texts("nodes"),
                          .since = instant_of(message, "since"),
                          .until = instant_of(message, "until"),
                          .limit = message.integer("limit")};
  for (const Message& key : message.objects("of"))
    filter.of.push_back({text_under(key, "job"), text_under(key, "digest")});
  if (filter.of.size() > names_at_once) return Error{Errc::invalid, "a question of the ledger with too many keys"};
  for (const Message& after : message.objects("after")) {
    filter.after = definition_position_from(after);
    if (!filter.after) return Error{Errc::invalid, "a filter of definitions with an unknown place"};
  }
  return filter;
}

}  // namespace ballot::library
