// The words of ballot/run.hpp and the text of run ids.
#include "ballot/run.hpp"

#include <span>

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
                                        "halted"};
constexpr std::string_view triggers[] = {"schedule", "catch_up", "reboot", "manual", "rerun"};
constexpr std::string_view leftovers[] = {"", "escaped", "unkillable"};
constexpr std::string_view causes[] = {"",        "resigned",    "expired", "superseded", "unreachable",
                                       "evicted", "auth_failed", "shutdown"};

static_assert(std::size(statuses) == static_cast<std::size_t>(Status::missed) + 1);
static_assert(std::size(reasons) == static_cast<std::size_t>(Reason::halted) + 1);
static_assert(std::size(triggers) == static_cast<std::size_t>(Trigger::rerun) + 1);
static_assert(std::size(leftovers) == static_cast<std::size_t>(Leftover::unkillable) + 1);
static_assert(std::size(causes) == static_cast<std::size_t>(Cause::shutdown) + 1);

template <class E>
std::optional<E> find(std::span<const std::string_view> words, std::string_view word) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Status s) { return statuses[static_cast<std::size_t>(s)]; }
std::string_view to_string(Reason r) { return reasons[static_cast<std::size_t>(r)]; }
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
