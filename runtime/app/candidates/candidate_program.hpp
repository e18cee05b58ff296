// CandidateProgram: what `run once`, `run cron`, `election run` and `election file` have in common: a loop, a candidate
// of one group, signals, and an end that resigns on every way out.
//
// Thread: the main one, which becomes the loop's in run().
//
//   class Candidates : public CandidateProgram { ... };
//   return Candidates(config, {.candidate = "a", .group = "g"}, log).run();
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/exit.hpp"
#include "ballot/log.hpp"
#include "config/config.hpp"
#include "io/campaigner.hpp"
#include "io/child_guard.hpp"
#include "io/main_loop.hpp"
#include "library/kept_session.hpp"

namespace ballot::app {

struct CandidateSession;

struct CandidateSettings {
  std::string command;    // "run once", as errors begin
  std::string candidate;  // "": the node's name
  std::string group = "default";
  Millis stop_grace{0};                 // how long what runs may take to end
  CandidateSession* session = nullptr;  // kept for whoever has to leave on this program's behalf
};

/// The session of a candidate, to be made before there is a guard, which shares its lock.
struct CandidateSession {
  CandidateSession(const config::Config& config, const std::string& group, const std::string& candidate);
  /// Has the guard resign when this program is killed.
  void add_to(io::ChildGuardSettings& settings);

  library::KeptSession kept;
  const bool anew;  // the session before is left to whoever resigns for it
};

class CandidateProgram {
 public:
  CandidateProgram(const config::Config& config, CandidateSettings settings, Log log);
  virtual ~CandidateProgram();
  CandidateProgram(const CandidateProgram&) = delete;
  CandidateProgram& operator=(const CandidateProgram&) = delete;

  /// Campaigns until finish(). configuration: the plugin or its table is refused.
  Exit run();

 protected:
  /// Once, before anything else.
  virtual void begin() = 0;
  /// The candidate's status has changed.
  virtual void on_status(const core::CandidateStatus& before) = 0;
  virtual void on_answer(const BackendEvent&) {}
  /// INT, TERM, HUP or QUIT.
  virtual void on_signal(int signal) = 0;
  /// Fields of every line of the log.
  virtual void add_fields(LogFields&) const {}

  /// Ends the session, resigning, and then run(). The first exit given counts, but that a success whose resignation is
  /// not confirmed is none.
  void finish(Exit exit);
  bool finishing() const { return exit_.has_value(); }

  void say(Level level, std::string_view text, const LogFields& more = {}) const;
  io::MainLoop& loop() { return loop_; }
  io::Campaigner& campaigner() { return *campaigner_; }
  const core::CandidateStatus& status() const { return campaigner_->status(); }
  const std::string& candidate() const { return settings_.candidate; }
  const std::string& group() const { return settings_.group; }

 private:
  void keep_session(const BackendEvent& event);
  void on_changed(const core::CandidateStatus& before);
  void say_change(const core::CandidateStatus& before) const;
  void give_up_closing();

  const config::Config& config_;
  CandidateSettings settings_;
  const Log log_;
  io::MainLoop loop_;
  io::BootTimer closing_timer_;
  std::unique_ptr<io::Campaigner> campaigner_;
  std::optional<Exit> exit_;
};

}  // namespace ballot::app
