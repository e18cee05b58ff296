// The words of ballot/run.hpp and the text of run ids.
#include "ballot/run.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "base/fnv.hpp"

namespace ballot {
namespace {

constexpr std::string_view statuses[] = {"queued",    "claimed", "running", "succeeded", "failed",
                                         "timed_out", "killed",  "lost",    "skipped",   "missed"};
constexpr std::string_view reasons[] = {"",
                                        "exit_code",
                                        "signal",
                                        "cannot_start",
                                        "oom",
                                        "lost_limit",
                                        "deadline",
                                        "operator",
                                        "replaced",
                                        "leadership_lost",
                                        "shutdown",
                                        "node_died",
                                        "runner_died",
                                        "forgotten",
                                        "evidence_lost",
                                        "overlap",
                                        "queue_full",
                                        "paused",
                                        "dry_run",
                                        "misfire",
                                        "start_deadline",
                                        "unclaimed",
                                        "stale",
                                        "dst_gap",
                                        "no_leader",
                                        "no_definition",
                                        "halted",
                                        "exception",
                                        "temporary",
                                        "permanent",
                                        "upstream",
                                        "calendar"};
constexpr std::string_view triggers[] = {"schedule", "catch_up", "reboot", "manual", "rerun", "chain", "backfill"};
constexpr std::string_view leftovers[] = {"", "escaped", "unkillable"};
constexpr std::string_view causes[] = {"",        "resigned",    "expired",  "superseded", "unreachable",
                                       "evicted", "auth_failed", "shutdown", "unfit"};

static_assert(std::size(statuses) == static_cast<std::size_t>(Status::missed) + 1);
static_assert(std::size(reasons) == static_cast<std::size_t>(last_reason) + 1);
static_assert(std::size(triggers) == static_cast<std::size_t>(last_trigger) + 1);
static_assert(std::size(leftovers) == static_cast<std::size_t>(Leftover::unkillable) + 1);
static_assert(std::size(causes) == static_cast<std::size_t>(Cause::unfit) + 1);

template <class E>
std::optional<E> find(std::span<const std::string_view> words, std::string_view word) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<E>(i);
  return std::nullopt;
}

constexpr std::size_t longest_newer_word = 32;

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= longest_newer_word && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); });
}

std::optional<std::int32_t> parse_code(std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool plain = error == std::errc{} && end == text.data() + text.size() && value >= 0;
  return plain && text == std::to_string(value) ? std::optional(value) : std::nullopt;
}

std::int32_t number_of(std::string_view word) {
  const std::uint64_t hash = Fnv().add(word).value();
  return first_unnumbered | static_cast<std::int32_t>((hash ^ hash >> 32) & (first_unnumbered - 1));
}

std::string_view kind_of(Status) { return "status"; }
std::string_view kind_of(Reason) { return "reason"; }

std::optional<Status> parse(std::string_view word, Status) { return parse_status(word); }
std::optional<Reason> parse(std::string_view word, Reason) { return parse_reason(word); }

}  // namespace

template <class Enum>
std::optional<Named<Enum>> Named<Enum>::parse(std::string_view text) {
  if (const auto known = ballot::parse(text, Enum{})) return Named(*known);
  if (const auto number = parse_code(text)) {
    Named numbered(static_cast<Enum>(*number));
    return numbered.text().empty() ? std::nullopt : std::optional(std::move(numbered));
  }
  if (!is_word(text)) return std::nullopt;
  Named newer(static_cast<Enum>(number_of(text)));
  newer.newer_ = text;
  return newer;
}

template <class Enum>
std::optional<Named<Enum>> Named<Enum>::make(std::int64_t number, std::string_view word) {
  if (number < 0 || number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  const auto value = static_cast<Enum>(static_cast<std::int32_t>(number));
  if (ballot::is_known(value) || !is_word(word)) return Named(value);
  if (const auto known = ballot::parse(word, Enum{})) return Named(*known);
  Named newer(value);
  newer.newer_ = word;
  return newer;
}

template <class Enum>
std::string Named<Enum>::description() const {
  if (is_known()) return std::string(text());
  const bool is_number = parse_code(newer_).has_value();
  return (is_number ? std::string(kind_of(value_)) + " " : "") + newer_ + " (of a newer version)";
}

template class Named<Status>;
template class Named<Reason>;

std::string_view to_string(Status s) { return is_known(s) ? statuses[static_cast<std::size_t>(s)] : "unknown"; }
std::string_view to_string(Reason r) { return is_known(r) ? reasons[static_cast<std::size_t>(r)] : "unknown"; }
std::string_view to_string(Trigger t) { return triggers[static_cast<std::size_t>(t)]; }
std::string_view to_string(Leftover l) { return leftovers[static_cast<std::size_t>(l)]; }
std::string_view to_string(Cause c) { return causes[static_cast<std::size_t>(c)]; }
std::optional<Status> parse_status(std::string_view word) { return find<Status>(statuses, word); }
std::optional<Reason> parse_reason(std::string_view word) { return find<Reason>(reasons, word); }
std::optional<Trigger> parse_trigger(std::string_view word) { return find<Trigger>(triggers, word); }
std::optional<Leftover> parse_leftover(std::string_view word) { return find<Leftover>(leftovers, word); }
std::optional<Cause> parse_cause(std::string_view word) { return find<Cause>(causes, word); }

std::string RunId::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

std::optional<RunId> RunId::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  RunId id;
  std::size_t nibble = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return std::nullopt;
      continue;
    }
    int value = 0;
    if (c >= '0' && c <= '9')
      value = c - '0';
    else if (c >= 'a' && c <= 'f')
      value = c - 'a' + 10;
    else
      return std::nullopt;
    id.bytes[nibble / 2] = static_cast<std::uint8_t>(id.bytes[nibble / 2] << 4 | value);
    ++nibble;
  }
  return id;
}

}  // namespace ballot
