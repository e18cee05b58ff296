// Standing: what an open backend is in its namespace: a Session, or an Observer. Carries out calls, and hears of what
// other processes do. Used by the plugin's thread alone.
#pragma once

#include <optional>
#include <vector>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "support/calls.hpp"

namespace ballot::local {

using namespace support;

/// Of a session that could not be opened.
inline Cause cause_of(const Error& error) {
  if (error.code == Errc::conflict) return Cause::superseded;
  if (error.code == Errc::not_found) return Cause::expired;
  return error.code == Errc::refused ? Cause::auth_failed : Cause::unreachable;
}

class Standing {
 public:
  virtual ~Standing() = default;

  /// Carries all of them out in one commit, each decided on its own, and adds what is to be posted, in order.
  virtual void carry_out(std::vector<Call> calls, Events& events) = 0;

  /// Readable when another process has changed something or has died.
  virtual std::vector<int> ears() const = 0;
  /// Hears what was told there. True: it is time to look().
  virtual bool hear(Events& events) = 0;
  /// Looks at what has changed by itself: groups that nobody leads any more, terms that were evicted.
  virtual void look(Events& events) = 0;
  /// Looking that often misses nothing, where ears may.
  virtual Millis pace() const = 0;

  /// When its session ends, as it is stored; never, where it has none.
  virtual SteadyTime deadline() const noexcept = 0;
  /// Records that its terms ended cleanly, as far as that can be written. Its locks fall with this object.
  virtual void end_terms() noexcept = 0;

  /// Set where its files cannot be used any more. Nothing but destruction may follow.
  virtual const std::optional<backend::SessionClosed>& over() const noexcept = 0;

 protected:
  Standing() = default;
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
};

}  // namespace ballot::local
