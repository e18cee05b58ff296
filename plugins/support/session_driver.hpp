// SessionDriver: what a plugin does with one session at a time, on the thread of a ThreadedBackend, which calls it and
// knows the rest: the queue of calls, the watchdog, generations, the end. A driver posts what happens through its
// Outlet, and has no locks: nothing of it is called from another thread.
//
//   class Driver final : public SessionDriver {
//     void open(const SessionRequest& request, SteadyTime asked) override { ... outlet_.opened({...}, asked); }
//     void carry_out(std::vector<Call> calls) override { ... outlet_.post(backend::Wrote{...}); }
//     ...
//   };
//
// An iteration of the thread: it waits for a call, due(), a descriptor or a wake(); then expire() where the session is
// past; receive(); configure(), open(), carry_out() and close() as they were asked for; advance().
//
//   | state  | called                                            | left by                                         |
//   | ------ | ------------------------------------------------- | ----------------------------------------------- |
//   | closed | receive, configure, open                          | open()                                          |
//   | open   | all but open                                      | Outlet::closed(), at any time; drop()           |
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/backend.hpp"
#include "support/calls.hpp"
#include "support/wakeup.hpp"

namespace ballot::support {

/// Where a driver posts what happens. On the plugin's thread, but for log() and the Wakeup: from any.
class Outlet {
 public:
  /// Of the present session.
  virtual void post(Event event) = 0;
  /// The session is open. `counts_from`: it is closed by the watchdog T from then, unless it is renewed; none: an
  /// observer's, which need not be.
  virtual void opened(backend::SessionOpened opened, std::optional<SteadyTime> counts_from) = 0;
  /// The session is over: nothing more is posted of it.
  virtual void closed(backend::SessionClosed closed) = 0;

  /// For what needs to log only; what is posted there is of the present session too.
  virtual Host& host() = 0;
  /// Ends the thread's wait. It may be kept by whoever outlives the backend.
  virtual const std::shared_ptr<Wakeup>& wakeup() = 0;
  /// A renewal waits, or the backend is to end: whoever blocks is not to do so for long.
  virtual bool pressed() const noexcept = 0;

 protected:
  ~Outlet() = default;
};

class SessionDriver {
 public:
  virtual ~SessionDriver() = default;
  SessionDriver(const SessionDriver&) = delete;
  SessionDriver& operator=(const SessionDriver&) = delete;

  /// As Backend::configure(), in any state.
  virtual void configure(std::map<std::string, Options> groups) { (void)groups; }
  /// Begins a session; T counts from `asked`, or from later. Answered by opened() or closed(), now or later.
  virtual void open(const SessionRequest& request, SteadyTime asked) = 0;
  /// In the order of asking, all that was asked since the last iteration.
  virtual void carry_out(std::vector<Call> calls) = 0;
  /// As Backend::close(); answered by closed(), now or later. It may come again while the session is being closed.
  virtual void close(bool keep) = 0;
  /// The session has not been renewed for T: calls closed().
  virtual void expire() = 0;
  /// The backend is to end, and close() has taken too long: ends the session without waiting. Nothing is posted.
  virtual void drop() noexcept = 0;

  /// Takes in what has arrived from others; also of a session that is over. `readable`: one of descriptors().
  virtual void receive(bool readable) = 0;
  /// Sends what has gathered, does what is due.
  virtual void advance() = 0;
  /// When the next iteration is at the latest.
  virtual std::optional<SteadyTime> due() const = 0;
  /// Descriptors that end the wait when they are readable.
  virtual std::vector<int> descriptors() const { return {}; }
  /// When the session ends for the store, where a renewal that was asked for may not have reached it.
  virtual SteadyTime deadline() const { return SteadyTime::max(); }

 protected:
  SessionDriver() = default;
};

/// On the loop's thread; the driver lives on the plugin's from then on.
using MakeDriver = std::function<std::unique_ptr<SessionDriver>(Outlet&)>;

}  // namespace ballot::support
