// EventFeed: what happens on this node, for those who follow it: each row as it is recorded. The last few thousand
// events are kept, so that a follower that was cut off goes on where it was; a follower that asks for events which are
// not kept any more, or are another process's, gets `reset`.
//
//   {"do": "events", "after": ID}  ->  a line an event, without end: {"id", "event", "data": JSON as text}
//
//   event | when                                           | data
//   begin | first, to one who goes on, or begins           | {}
//   reset | first, to one whose `after` is gone: what was  | {}
//         | shown before has to be asked for anew          |
//   row   | a row was recorded, which may not be durable   | the row, in public form
//
// Nothing is kept before the first follower. Thread: the loop's.
//
//   EventFeed feed;
//   engine.add_observer({[&](const core::RecordRow& record) { feed.add(record.row); }, ...});
//   feed.follow(question, reply);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "ballot/ledger.hpp"
#include "io/question.hpp"

namespace ballot::library {

inline constexpr std::size_t most_events_kept = 4096, most_followers = 256;

class EventFeed {
 public:
  EventFeed();

  void add(const Row& row);
  void follow(const io::Question& question, const io::Reply& reply);

 private:
  std::string id_of(std::uint64_t number) const;
  /// The number in an id of this process; none: it is no such id.
  std::optional<std::uint64_t> number_of(const std::string& id) const;
  io::Message line_of(std::uint64_t number, const Row& row) const;

  const std::string process_;  // in front of each id: numbers begin anew with the process
  std::deque<Row> kept_;       // the last of them is number last_
  std::uint64_t last_ = 0;     // of the events so far
  bool was_followed_ = false;
  std::vector<io::Reply> followers_;
};

}  // namespace ballot::library
