// WhyNothing: of a slot that this node's ledger says nothing of, the one reason why it does not. Pure: whoever asks has
// gathered what the job files say, and the daemon, where there is one.
//
//   const Explained why = why_nothing(facts);   // {"to come", "The slot is still to come."}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ballot/time.hpp"
#include "library/held/pauses.hpp"

namespace ballot::library {

struct UnrecordedSlot {
  std::string job, group;
  std::optional<WallTime> slot;  // none: the schedule has none up to the time asked for
  std::optional<WallTime> at;    // that time; none: it is now
  WallTime now{};

  // what the job files say, or the program that embeds ballot
  enum class Schedule { not_loaded, disabled, none, only_reboot, some } schedule = Schedule::some;
  bool has_phase = true;         // false: it has an `@every`, and where that counts from is not known
  std::optional<WallTime> next;  // slot, from now on
  Millis keep{0};                // how long rows are kept

  enum class Scope { node, fleet } scope = Scope::node;  // whose ledgers were asked
  std::vector<std::string> missing;                      // nodes that were asked, and did not answer
  std::optional<WallTime> missing_heard;                 // none of them was heard of since then; none: not known

  // what the daemon says
  // unaware: it does not have the job; hung: it does not answer
  enum class Daemon { away, hung, unaware, there } daemon = Daemon::there;
  std::string node;                       // its name
  bool store_is_silent = false;           // this node has no session with it, or a renewal is overdue,
  std::optional<WallTime> store_heard;    // since then, where that is known
  std::string store_refusal;              // it answers, and takes no writes of this node: in its words; "": it does
  std::string leader;                     // of the group; "" where nobody leads it
  bool without_candidates = false;        // none of the nodes that are there may lead the group
  bool is_led_by_nobody = false;          // as the store says, of another node's instance
  bool leader_is_silent = false;          // its session is not renewed,
  std::optional<WallTime> leader_heard;   // since then, where that is known;
  std::optional<WallTime> leader_until;   // it ends then, unless it is renewed before
  std::string leader_trouble;             // why it launches nothing, as it says; "": it does
  std::string undefined_there;            // why another node's instance is not defined there, as that says; "": it is
  std::string state;                      // the job's, as `ballot jobs` shows it
  std::string trouble;                    // why it is halted,
  std::optional<WallTime> halted_at;      // since when, where that is known,
  bool halted_with_group = false;         // and whether with its whole group
  std::optional<WallTime> since;          // slots at or before it were not due
  std::optional<WallTime> settled_until;  // and of those after it nothing is settled, where that is known
  std::vector<Pause> pauses;
  bool waits = false;                    // the slot is due, and waits
  std::optional<WallTime> waits_behind;  // it is due, and nothing is settled of it before this one, which waits
  bool queue_is_full = false;            // as many slots wait as the job's queue takes
  std::string left_out;                  // why the job's calendars leave it out; "": they do not
  std::string no_slots;                  // why a job that comes after others has no slots by them; "": it may have some
};

struct Explained {
  std::string word;  // "queued", "to come", "not recorded", "no slot"
  std::string text;
};

Explained why_nothing(const UnrecordedSlot& slot);

/// Of a job that is halted, or whose namespace moves: since when, why, and what to do about it.
std::string halted_text(const UnrecordedSlot& job);

/// Of a paused job, whose retries start no attempt before that is over.
std::string held_by_pause_text(const UnrecordedSlot& job);

/// Where the store takes no writes of whoever leads the job, or is to, and `text` does not say so yet: a sentence after
/// a space.
std::string refusal_beside(const UnrecordedSlot& job, const std::string& text);

}  // namespace ballot::library
