#include "feed.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "http/base64.hpp"
#include "support/clock.hpp"

namespace ballot::etcd {

using namespace std::chrono_literals;

namespace {

constexpr Millis shortest_pause = 100ms, longest_pause = 2s;
constexpr Millis list_patience = 5s, open_patience = 3s;
constexpr Millis unproved_patience = 10s;  // of a stream that no renewal proves

}  // namespace

/// The range is another one.
void Feed::follow(const std::string& prefix) {
  if (state_ != State::off) lose("more is followed");
  followed_.insert(prefix);
  const Range whole{keyspace_.root + *followed_.begin(), end_of(keyspace_.root + *followed_.rbegin()), {}};
  if (!ranges_.empty() && ranges_.front().watched.empty())
    ranges_.front() = whole;
  else
    ranges_.insert(ranges_.begin(), whole);
  want();
}

void Feed::watch(const std::string& prefix) {
  ranges_.push_back({keyspace_.root + prefix, end_of(keyspace_.root + prefix), prefix});
  want();
}

/// What follows in the same turn is listed with it.
void Feed::want() {
  wanted_ = true;
  if (state_ != State::off) return;
  state_ = State::pausing;
  at_ = support::boot_now();
}

std::string Feed::mark_key() const {
  return followed_.empty() ? "" : keyspace_.root + *followed_.begin() + mark + keyspace_.lease;
}

void Feed::expect(std::uint64_t mark, SteadyTime sent) {
  if (!followed_.empty()) expected_.push_back({mark, sent});
}

void Feed::committed(std::uint64_t mark, SteadyTime until) {
  if (is_streaming() && !has_seen(mark) && !mark_due_) mark_due_ = until;
}

bool Feed::follows(const std::string& key) const {
  return std::any_of(followed_.begin(), followed_.end(), [&](const std::string& one) { return key.starts_with(one); });
}

/// A watched prefix needs no more than a revision to begin at.
void Feed::list() {
  state_ = State::listing;
  wanted_ = false;
  const bool contents = !followed_.empty() && ranges_.front().next == 0;
  const std::string from = contents ? ranges_.front().from : keyspace_.root;
  const std::string end = contents ? ranges_.front().end : keyspace_.root + mark;
  reads_.list(from, end, list_patience,
              [this, listing = ++listing_, sent = support::boot_now()](const Reads::Found& found) {
                if (state_ == State::listing && listing == listing_) on_listed(found, sent);
              });
}

void Feed::on_listed(const Reads::Found& found, SteadyTime sent) {
  if (found.kind != Reply::Kind::done) return lose(found.read.text);
  std::vector<std::string> touched;
  bool contents = false;
  for (Range& range : ranges_) {
    if (range.next != 0) continue;
    range.next = found.revision + 1;
    range.watched.empty() ? void(contents = true) : touched.push_back(range.watched);
  }
  open();
  if (contents) {
    report(found.read);
    observed_until_ = std::max(observed_until_, sent);
  }
  for (const std::string& prefix : touched) listener_.on_touched(prefix);
}

void Feed::report(const support::KeyRead& read) {
  for (const std::string& prefix : followed_) {
    std::vector<support::KeyEntry> entries;
    for (const support::KeyEntry& entry : read.entries)
      if (entry.key.starts_with(prefix)) entries.push_back(entry);
    listener_.on_listed(prefix, entries);
  }
}

void Feed::open() {
  close();
  state_ = State::opening;
  std::string body;
  for (const Range& range : ranges_)
    if (range.next != 0) body += watch_request(range.from, range.end, range.next) + '\n';
  stream_ = gateway_.stream(
      "/v3/watch", body, open_patience, [this](const http::json::value& line) { on_line(line); },
      [this](const std::string& why) {
        stream_ = 0;
        lose(why);
      });
}

void Feed::close() {
  if (stream_ != 0) gateway_.cancel(std::exchange(stream_, 0));
  mark_due_.reset();
}

/// Watchers have the numbers of their requests' order.
void Feed::on_line(const http::json::value& line) {
  const http::json::value& result = http::at(line, "result");
  if (!result.is_object()) {
    const std::string why(http::text_at(line, "error", "message"));
    gateway_.leave();
    return lose(why.empty() ? "the server says what cannot be read" : why);
  }
  if (http::truth_at(result, "canceled")) return lose("the server has cancelled the watch");
  if (state_ == State::opening) {
    state_ = State::streaming;
    pause_ = 0ms;
    at_ = support::boot_now() + unproved_patience;
  }
  const std::uint64_t watcher = http::number_at(result, "watch_id");
  std::size_t index = 0;
  for (Range& range : ranges_)
    if (range.next != 0 && index++ == watcher) return on_events(range, result);
}

void Feed::on_events(Range& range, const http::json::value& result) {
  const http::json::array& events = http::array_at(result, "events");
  if (events.empty()) return;
  for (const http::json::value& event : events)
    range.next = std::max(range.next, http::number_at(event, "kv", "mod_revision") + 1);
  if (!range.watched.empty()) return listener_.on_touched(range.watched);
  for (const http::json::value& event : events) on_change(event);
}

void Feed::on_change(const http::json::value& event) {
  const http::json::value& kv = http::at(event, "kv");
  const bool removed = http::text_at(event, "type") == "DELETE";
  const std::string key = key_of(kv);
  if (!removed && key == mark_key()) return on_mark(http::from_base64(http::text_at(kv, "value")).value_or(""));
  const auto entry = entry_of(kv, keyspace_.root);
  if (!entry || !follows(entry->key)) return;
  removed ? listener_.on_removed(entry->key) : listener_.on_written(*entry);
}

/// "LEASE MARK".
void Feed::on_mark(const std::string& value) {
  std::uint64_t mark = 0;
  const auto space = value.find(' ');
  if (space == std::string::npos || value.compare(0, space, keyspace_.lease) != 0) return;
  std::from_chars(value.data() + space + 1, value.data() + value.size(), mark);
  for (; !expected_.empty() && expected_.front().mark <= mark; expected_.pop_front())
    if (expected_.front().mark == mark) observed_until_ = std::max(observed_until_, expected_.front().sent);
  seen_mark_ = std::max(seen_mark_, mark);
  mark_due_.reset();
}

/// All is listed again.
void Feed::lose(const std::string& why) {
  close();
  for (Range& range : ranges_) range.next = 0;
  state_ = State::pausing;
  problem_ = why;
  at_ = support::boot_now() + pause_;
  pause_ = std::clamp<Millis>(2 * pause_, shortest_pause, longest_pause);
}

void Feed::tick(SteadyTime now) {
  if (state_ == State::pausing && now >= at_) list();
  if (state_ != State::streaming) return;
  if (mark_due_ && now >= *mark_due_) {
    gateway_.leave();
    return lose("the stream is silent");
  }
  if (keyspace_.lease.empty() && now >= at_) return lose("it may be silent");
  if (wanted_) list();
}

std::optional<SteadyTime> Feed::due() const {
  if (state_ == State::pausing) return at_;
  if (state_ != State::streaming) return std::nullopt;
  if (wanted_) return SteadyTime{};
  return keyspace_.lease.empty() ? std::optional(at_) : mark_due_;
}

}  // namespace ballot::etcd
