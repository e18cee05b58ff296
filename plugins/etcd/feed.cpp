#include "feed.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "http_client/base64.hpp"
#include "support/clock.hpp"
#include "support/excerpt.hpp"

namespace ballot::etcd {

using namespace std::chrono_literals;

namespace {

constexpr Millis shortest_pause = 100ms, longest_pause = 2s;
constexpr Millis list_patience = 5s, open_patience = 3s;
constexpr Millis unproved_patience = 10s;  // of a stream that no renewal proves

}  // namespace

void Feed::begin() {
  if (state_ != State::off) return;
  state_ = State::pausing;
  at_ = support::boot_now();
}

void Feed::follow(const std::string& prefix) {
  followed_.insert(prefix);
  if (state_ != State::off) restart(0ms);
  begin();
}

/// The stream goes on from its last revision, with a wider range.
void Feed::watch(const std::string& prefix) {
  watched_.insert(prefix);
  untold_.insert(prefix);
  begin();
}

std::string Feed::first() const {
  if (followed_.empty() || watched_.empty()) return followed_.empty() ? *watched_.begin() : *followed_.begin();
  return std::min(*followed_.begin(), *watched_.begin());
}

std::string Feed::end() const {
  std::string last;
  for (const auto* all : {&followed_, &watched_})
    for (const std::string& prefix : *all) last = std::max(last, end_of(keyspace_.root + prefix));
  return last;
}

std::string Feed::mark_key() const {
  return followed_.empty() ? "" : keyspace_.root + first() + mark + keyspace_.lease;
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

/// Where nothing is followed, a revision to begin at is enough.
void Feed::list() {
  state_ = State::listing;
  const bool contents = !followed_.empty();
  const std::string from = keyspace_.root + (contents ? *followed_.begin() : std::string());
  const std::string to = contents ? end_of(keyspace_.root + *followed_.rbegin()) : keyspace_.root + mark;
  reads_.list(from, to, list_patience,
              [this, listing = ++listing_, sent = support::boot_now()](const Reads::Found& found) {
                if (state_ == State::listing && listing == listing_) on_listed(found, sent);
              });
}

void Feed::on_listed(const Reads::Found& found, SteadyTime sent) {
  if (found.kind != Reply::Kind::done) return lose(found.read.text);
  next_ = found.revision + 1;
  untold_ = watched_;
  open();
  if (followed_.empty()) return;
  report(found.read);
  observed_until_ = std::max(observed_until_, sent);
}

void Feed::report(const support::KeyRead& read) {
  for (const std::string& prefix : followed_) {
    std::vector<support::KeyEntry> entries;
    for (const support::KeyEntry& entry : read.entries)
      if (entry.key.starts_with(prefix)) entries.push_back(entry);
    listener_.on_listed(prefix, entries);
  }
}

/// Reports each new prefix as touched once; its later changes come by the stream.
void Feed::open() {
  close();
  state_ = State::opening;
  stream_ = gateway_.stream(
      "/v3/watch", watch_request(keyspace_.root + first(), end(), next_), open_patience,
      [this](const http::json::value& line) { on_line(line); },
      [this](const std::string& why) {
        stream_ = 0;
        lose(why);
      });
  for (const std::string& prefix : std::exchange(untold_, {})) listener_.on_touched(prefix);
}

void Feed::close() {
  if (stream_ != 0) gateway_.cancel(std::exchange(stream_, 0));
  mark_due_.reset();
}

void Feed::on_line(const http::json::value& line) {
  const http::json::value& result = http::at(line, "result");
  if (!result.is_object()) {
    const std::string why = support::excerpt(http::text_at(line, "error", "message"));
    gateway_.leave(stream_);
    return lose(why.empty() ? "the server says what cannot be read" : why);
  }
  if (http::truth_at(result, "canceled")) return lose("the server has cancelled the watch");
  if (state_ == State::opening) {
    state_ = State::streaming;
    at_ = support::boot_now() + unproved_patience;
  }
  std::set<std::string> touched;
  for (const http::json::value& event : http::array_at(result, "events"))
    if (!on_change(event, touched)) {
      gateway_.leave(stream_);
      return lose("the server says what cannot be read");
    }
  for (const std::string& prefix : touched) listener_.on_touched(prefix);
}

/// False: it cannot be read.
bool Feed::on_change(const http::json::value& event, std::set<std::string>& touched) {
  const http::json::value& kv = http::at(event, "kv");
  const std::uint64_t revision = support::sound_version(http::number_at(kv, "mod_revision"));
  if (revision == 0) return false;
  next_ = std::max(next_, revision + 1);
  const bool removed = http::text_at(event, "type") == "DELETE";
  if (!removed && !keyspace_.lease.empty() && key_of(kv).ends_with(mark + keyspace_.lease)) {
    on_mark(http::from_base64(http::text_at(kv, "value")).value_or(""));
    return true;
  }
  const auto entry = entry_of(kv, keyspace_.root);
  if (!entry) return true;
  if (entry->version == 0) return false;
  for (const std::string& prefix : watched_)
    if (entry->key.starts_with(prefix)) touched.insert(prefix);
  if (follows(entry->key)) removed ? listener_.on_removed(entry->key) : listener_.on_written(*entry);
  return true;
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
  pause_ = 0ms;
}

/// All is listed again.
void Feed::restart(Millis pause) {
  close();
  next_ = 0;
  state_ = State::pausing;
  at_ = support::boot_now() + pause;
}

void Feed::lose(const std::string& why) {
  if (state_ == State::streaming) host_.log(Level::info, "etcd: changes are read anew: " + why);
  restart(pause_);
  pause_ = std::clamp<Millis>(2 * pause_, shortest_pause, longest_pause);
}

void Feed::tick(SteadyTime now) {
  if (state_ == State::pausing && now >= at_) list();
  if (state_ != State::streaming) return;
  if (mark_due_ && now >= *mark_due_) {
    gateway_.leave(stream_);
    return lose("the stream is silent");
  }
  if (keyspace_.lease.empty() && now >= at_) {
    pause_ = 0ms;
    return restart(pause_);
  }
  if (!untold_.empty()) open();
}

std::optional<SteadyTime> Feed::due() const {
  if (state_ == State::pausing) return at_;
  if (state_ != State::streaming) return std::nullopt;
  if (!untold_.empty()) return SteadyTime{};
  return keyspace_.lease.empty() ? std::optional(at_) : mark_due_;
}

}  // namespace ballot::etcd
