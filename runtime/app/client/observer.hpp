// Observer: a command's view of the store, with no daemon needed and none disturbed: it has no name and takes part
// in nothing. Blocking, with a time limit.
//
// Thread: one at a time; what the plugin posts from its own threads is queued.
//
//   auto observer = Observer::open(config);
//   auto elections = (*observer)->observe("nightly");
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/posted_events.hpp"
#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "config/config.hpp"
#include "io/backend_port.hpp"

namespace ballot::app {

class Observer {
 public:
  /// Errors: refused, corrupt, not_found (the plugin); invalid (its table); unavailable, denied (the store).
  static Result<std::unique_ptr<Observer>> open(const config::Config& config) { return open(config, "", patience); }
  /// The same, without a word of its own where the namespace moves: for who works on that.
  static Result<std::unique_ptr<Observer>> open_silently(const config::Config& config) {
    return open_session(config, "", patience);
  }
  /// With the handle of a dead program's session that is opened again, to be left; not_found: it is over. Each answer
  /// of the store is waited for so long. Where the store does not answer, the process is to end without destructors:
  /// they would end the session.
  static Result<std::unique_ptr<Observer>> open(const config::Config& config, const std::string& handle,
                                                Millis answer_within);
  /// All that is asked of it is answered within that time in all, or not at all.
  static Result<std::unique_ptr<Observer>> open_within(const config::Config& config, Millis time);
  ~Observer();
  /// So long, from now on.
  void wait_for_answers(Millis patience) { answer_within_ = patience; }

  /// The group's election, or all ("").
  Result<std::vector<Election>> observe(const std::string& group);
  /// What the store said of itself when it was observed last.
  const StoreState& store() const { return store_; }
  Capability capability() const { return opened_.capability; }
  /// Ends the present term. not_found: nobody leads.
  Result<void> evict(const std::string& group);
  /// Waits for a change under the group's register, or for `time`. False: the session is over.
  bool wait_for_change(Millis time);
  void watch(const std::string& prefix) { backend().watch(prefix); }
  /// All registers and records whose name begins with `prefix`.
  Result<std::vector<Register>> list(const std::string& prefix);

  Result<std::vector<Register>> read(const std::vector<std::string>& names);
  /// A new record. Errors: conflict, unavailable.
  Result<void> create(const Record& record);
  /// New records; those that are there already stay as they are.
  Result<void> create_all(std::vector<Record> records);
  /// Of records.
  void remove(const std::vector<std::string>& names);

  /// Of a session that was opened again: its id; leaves a group; ends it, or leaves what it leads as it is. False: the
  /// store has not confirmed it.
  const std::string& session() const { return opened_.id; }
  void resign(const std::string& group) { backend().resign(group); }
  bool close(bool keep);

 private:
  static Result<std::unique_ptr<Observer>> open_session(const config::Config& config, const std::string& handle,
                                                        Millis answer_within);
  explicit Observer(const PluginInfo& plugin);
  Backend& backend() { return port_.backend(); }
  std::optional<BackendEvent> next(Millis time);
  template <class Event>
  Result<Event> await();
  Result<std::vector<Register>> await_registers();

  static constexpr Millis patience{10'000};

  PostedEvents posted_;
  RequestId last_request_ = 0;
  bool changed_ = false;
  bool closed_ = false;
  Millis answer_within_ = patience;
  std::optional<std::chrono::steady_clock::time_point> until_;  // of all answers
  std::string place_;                                           // which store it is, for who reads an error
  bool stands_in_ = false;
  backend::SessionOpened opened_;
  StoreState store_;
  io::BackendPort port_;  // last: it posts until it is gone
};

}  // namespace ballot::app
