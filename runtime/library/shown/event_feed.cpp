#include "library/shown/event_feed.hpp"

#include <charconv>
#include <random>

#include "base/hex.hpp"
#include "library/shown/values.hpp"

namespace ballot::library {
namespace {

std::string new_process() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 6; ++i) bytes += static_cast<char>(random());
  return to_hex(bytes);
}

io::Message event_line(std::string id, std::string event, const io::Message& data) {
  return io::Message().set("id", std::move(id)).set("event", std::move(event)).set("data", io::encode(data));
}

}  // namespace

EventFeed::EventFeed() : process_(new_process()) {}

std::string EventFeed::id_of(std::uint64_t number) const { return process_ + "-" + std::to_string(number); }

std::optional<std::uint64_t> EventFeed::number_of(const std::string& id) const {
  if (!id.starts_with(process_ + "-")) return std::nullopt;
  const char* const begin = id.data() + process_.size() + 1;
  const char* const end = id.data() + id.size();
  std::uint64_t number = 0;
  const auto [at, error] = std::from_chars(begin, end, number);
  return error == std::errc{} && at == end && id_of(number) == id ? std::optional(number) : std::nullopt;
}

io::Message EventFeed::line_of(std::uint64_t number, const Row& row) const {
  return event_line(id_of(number), "row", shown(row));
}

void EventFeed::add(const Row& row) {
  if (!was_followed_) return;
  ++last_;
  kept_.push_back(row);
  if (kept_.size() > most_events_kept) kept_.pop_front();
  if (followers_.empty()) return;
  const io::Message event = line_of(last_, row);
  std::erase_if(followers_, [](const io::Reply& follower) { return follower.gone(); });
  for (const io::Reply& follower : followers_) follower.send(event);
}

void EventFeed::follow(const io::Question& question, const io::Reply& reply) {
  std::erase_if(followers_, [](const io::Reply& follower) { return follower.gone(); });
  if (followers_.size() >= most_followers)
    return reply.fail({Errc::unavailable, "too many follow the events of this node; try again later"});
  was_followed_ = true;
  const std::string after = question.message.text("after").value_or("");
  const std::uint64_t first_kept = last_ - kept_.size();  // the event after it is the first that is kept
  const auto number = after.empty() ? std::optional(last_) : number_of(after);
  const bool is_kept = number && *number >= first_kept && *number <= last_;
  const std::uint64_t from = is_kept ? *number : last_;
  reply.send(event_line(id_of(from), is_kept ? "begin" : "reset", {}));
  for (std::uint64_t at = from; at < last_; ++at) reply.send(line_of(at + 1, kept_[at - first_kept]));
  followers_.push_back(reply);
}

}  // namespace ballot::library
