// Key tables: one row a key of a TOML table says how it is read, whether it differs from its default, and how it counts
// in a digest. Everything about a key is in its row.
//
//   constexpr Key<Job> job_keys[] = {row<Job, &Job::nice>("nice", as_integer<&Job::nice, -20, 19>), ...};
//   read_table(table, job_keys, job, findings);
//
// Rows are sorted by name, which the tables assert.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/digest.hpp"
#include "config/names.hpp"
#include "config/value.hpp"
#include "config/words.hpp"

namespace ballot::config {

template <class T>
struct Key {
  std::string_view name;
  void (*read)(const Value&, T&);
  bool (*differs)(const T&, const T& defaults);
  void (*digest)(Digest&, const T&);  // null: does not count, or another key stands for it
};

template <class T, auto Member>
constexpr Key<T> row(std::string_view name, void (*read)(const Value&, T&)) {
  return {name, read, [](const T& a, const T& b) { return a.*Member != b.*Member; },
          [](Digest& digest, const T& value) { digest.put(value.*Member); }};
}

/// A key that counts in no digest.
template <class T>
constexpr Key<T> plain_row(std::string_view name, void (*read)(const Value&, T&)) {
  return {name, read, nullptr, nullptr};
}

template <class T, std::size_t n>
constexpr bool is_sorted(const Key<T> (&keys)[n]) {
  return std::is_sorted(keys, keys + n, [](const Key<T>& a, const Key<T>& b) { return a.name < b.name; });
}

template <class T>
void unknown_key(const toml::key& key, std::span<const Key<T>> keys, Findings& findings) {
  std::vector<std::string_view> known;
  for (const Key<T>& each : keys) known.push_back(each.name);
  findings.error(position_of(key.source()), "unknown key " + in_quotes(key.str()) + suggestion(key.str(), known));
}

template <class T>
const Key<T>* find_key(std::string_view name, std::span<const Key<T>> keys) {
  const auto at = std::lower_bound(keys.begin(), keys.end(), name,
                                   [](const Key<T>& key, std::string_view text) { return key.name < text; });
  return at != keys.end() && at->name == name ? &*at : nullptr;
}

/// One entry of a table: an unknown key is a finding.
template <class T>
void read_entry(const toml::key& key, const toml::node& node, std::span<const Key<T>> keys, T& target,
                Findings& findings) {
  const Key<T>* const found = find_key(key.str(), keys);
  if (found == nullptr) return unknown_key(key, keys, findings);
  found->read(Value(found->name, node, findings), target);
}

template <class T, std::size_t n>
void read_table(const toml::table& table, const Key<T> (&keys)[n], T& target, Findings& findings) {
  for (auto&& [key, node] : table) read_entry(key, node, std::span<const Key<T>>(keys), target, findings);
}

/// The lines KEY=VALUE of all keys that are not at their default.
template <class T, std::size_t n>
void digest_table(Digest& digest, const Key<T> (&keys)[n], const T& value) {
  static const T defaults;
  for (const Key<T>& key : keys) {
    if (key.digest == nullptr || !key.differs(value, defaults)) continue;
    digest.bytes(key.name);
    digest.bytes("=");
    key.digest(digest, value);
    digest.bytes("\n");
  }
}

template <auto Member, class T>
void as_boolean(const Value& value, T& target) {
  if (const auto read = value.boolean()) target.*Member = *read;
}

template <auto Member, std::int64_t low, std::int64_t high, class T>
void as_integer(const Value& value, T& target) {
  if (const auto read = value.integer(low, high)) {
    if constexpr (requires { (target.*Member).has_value(); })
      target.*Member = static_cast<std::uint64_t>(*read);
    else
      target.*Member = static_cast<int>(*read);
  }
}

template <auto Member, class T>
void as_string(const Value& value, T& target) {
  if (const auto read = value.string()) target.*Member = *read;
}

template <auto Member, class T>
void as_name(const Value& value, T& target) {
  const auto read = value.string();
  if (!read) return;
  if (!is_name(*read))
    return value.error(
        "must be a name of 1 to 64 letters, digits, '_' and '-' that begins with a letter or digit, not " +
        in_quotes(*read));
  target.*Member = *read;
}

template <auto Member, class T>
void as_path(const Value& value, T& target) {
  const auto read = value.string();
  if (!read) return;
  if (!read->starts_with('/')) return value.error("must be an absolute path, not " + in_quotes(*read));
  target.*Member = *read;
}

/// `low` in milliseconds.
template <auto Member, std::int64_t low, std::int64_t high = longest_duration.count(), class T>
void as_duration(const Value& value, T& target) {
  if (const auto read = value.duration(Millis(low), Millis(high))) target.*Member = *read;
}

template <auto Member, std::int64_t low, std::int64_t high, class T>
void as_size(const Value& value, T& target) {
  if (const auto read = value.size(low, high)) {
    if constexpr (requires { (target.*Member).has_value(); })
      target.*Member = static_cast<std::uint64_t>(*read);
    else
      target.*Member = *read;
  }
}

template <auto Member, class T>
void as_date_time(const Value& value, T& target) {
  if (const auto read = value.date_time()) target.*Member = *read;
}

template <auto Member, class T>
void as_strings(const Value& value, T& target) {
  if (auto read = value.strings()) target.*Member = std::move(*read);
}

/// A list of words that is exec'd as it is. [] is no command, for a hook that has none.
template <auto Member, class T>
void as_hook(const Value& value, T& target) {
  if (value.node().is_string())
    return value.error("must be a list of strings, a program and its arguments, such as [\"/usr/bin/notify\", \"x\"]");
  auto read = value.strings();
  if (!read) return;
  if (!read->empty() && read->front().empty()) return value.error("must begin with the path of a program, not \"\"");
  target.*Member = std::move(*read);
}

template <class E>
std::optional<E> read_word(const Value& value) {
  const auto text = value.string();
  if (!text) return std::nullopt;
  const auto word = parse_word<E>(*text);
  if (!word) value.error("has no value " + in_quotes(*text) + suggestion(*text, all_words<E>()));
  return word;
}

template <auto Member, class T>
void as_word(const Value& value, T& target) {
  using E = std::remove_reference_t<decltype(target.*Member)>;
  if (const auto word = read_word<E>(value)) target.*Member = *word;
}

}  // namespace ballot::config
