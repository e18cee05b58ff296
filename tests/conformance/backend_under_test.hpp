// What the conformance suite needs to know of a backend: how to make candidates on one shared store, how time passes,
// and which faults can be caused. Written by whoever writes a plugin; knows no backend.
//
//   struct MyCluster : Cluster { std::unique_ptr<Backend> make(...) override { ... } };
//   INSTANTIATE_TEST_SUITE_P(MyStore, BackendConformance,
//                            ::testing::Values(BackendUnderTest{"my_store", [] { return std::make_unique<MyCluster>();
//                            }}));
#pragma once

#include <time.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>

#include "ballot/backend.hpp"
#include "conformance/recorder.hpp"

namespace ballot::conformance {

/// What a cluster can do beyond the ordinary. What it cannot is skipped, visibly.
enum class Ability {
  crash,          // kill -9 a candidate
  freeze,         // SIGSTOP a candidate, and SIGCONT
  cut,            // separate a candidate from the store, and heal
  expire,         // let the store end a candidate's session
  restart,        // restart the server
  resume,         // the backend goes on with the terms of a daemon that is back in time
  free_at_death,  // the groups of a dead candidate are free at once, before its deadline
  vacancies,      // backends tell candidates that nobody leads, and that somebody does again
  hold            // backends are made with BackendSettings::hold, and the servers lose their quorum
};

inline const char* to_string(Ability ability) {
  switch (ability) {
    case Ability::crash: return "crash a candidate";
    case Ability::freeze: return "freeze a candidate";
    case Ability::cut: return "cut a candidate off";
    case Ability::expire: return "let a session expire";
    case Ability::restart: return "restart the server";
    case Ability::resume: return "resume terms";
    case Ability::vacancies: return "tell of vacancies";
    case Ability::hold: return "detect an outage";
    case Ability::free_at_death: return "free groups before the deadline of a dead leader";
  }
  return "?";
}

/// One store, empty at first. Called from the test's thread only, which is the candidates' loop thread.
class Cluster {
 public:
  virtual ~Cluster() = default;

  /// A backend that is not open yet; `host` outlives it, and so does the cluster.
  virtual std::unique_ptr<Backend> make(const std::string& node, const std::string& name_space, Host& host) = 0;
  virtual std::set<Ability> abilities() const { return {}; }

  /// The session timeout to ask for: short, as tests wait for it.
  virtual Millis timeout() const = 0;
  /// How much later than its due time something may be seen to happen.
  virtual Millis slack() const { return Millis(1500); }
  /// Within what time another leads after a crash, counted from the kill.
  virtual Millis crash_handover() const { return timeout() + slack(); }
  /// What is under way has come after it.
  virtual Millis settling() const { return Millis(300); }

  /// Its store tells what its clock says (backend::Renewed::store_clock).
  virtual bool has_clock() const { return false; }
  /// Of this machine.
  virtual WallTime wall() const { return std::chrono::time_point_cast<Millis>(std::chrono::system_clock::now()); }
  virtual SteadyTime now() const {
    timespec at{};
    ::clock_gettime(CLOCK_BOOTTIME, &at);
    return SteadyTime(Millis(at.tv_sec * 1000 + at.tv_nsec / 1'000'000));
  }
  /// Lets time pass until `done`, which is asked after each event. False: it was not so within `limit`.
  virtual bool wait(const std::function<bool()>& done, Millis limit) { return signal.wait(done, limit); }

  // Of `backend`, made by make(); only where the ability is there.
  virtual void crash(Backend&) {}
  virtual void freeze(Backend&) {}
  virtual void thaw(Backend&) {}
  virtual void cut(Backend&) {}
  virtual void heal(Backend&) {}
  virtual void expire(Backend&) {}
  virtual void restart() {}
  /// The servers run, and say that they have no quorum; until restart().
  virtual void lose_quorum() {}

  /// Of a plugin that refuses BackendSettings::hold: why; "": it made a backend. None: there is no plugin.
  virtual std::optional<std::string> refusal_to_hold() { return std::nullopt; }

  Signal signal;  // notified by every recorded event
};

struct BackendUnderTest {
  std::string name;  // letters, digits, _
  /// Null: it cannot be tested here; `why_not` says why.
  std::function<std::unique_ptr<Cluster>()> make_cluster;
  std::string why_not = {};
};

inline void PrintTo(const BackendUnderTest& backend, std::ostream* out) { *out << backend.name; }

}  // namespace ballot::conformance
