// NamespaceSession: the session of `ballot store` in a namespace. As a node of a name of its own it takes part in the
// elections of all groups: while it leads them, nobody else writes their registers, of whatever version his daemon is.
// Of two such sessions in one namespace the second is refused. Blocking, with a time limit; it renews its session
// whenever it waits for the store.
//
// Thread: one at a time; what the plugin posts from its own threads is queued.
//
//   auto session = NamespaceSession::open(config);
//   if (const auto led = (*session)->lead({"nightly", "etl"}, patience, show); !led) return fail(led.error());
//   (*session)->write({{"nightly", "j/backup", text, 0}});
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/posted_events.hpp"
#include "ballot/error.hpp"
#include "ballot/plugin.hpp"
#include "ballot/time.hpp"
#include "config/config.hpp"
#include "io/backend_port.hpp"

namespace ballot::app {

/// The node by whose name it takes part.
inline constexpr const char* mover_node = "ballot-store";

class NamespaceSession {
 public:
  /// A write of a register in the term of `group`, which is led.
  struct Change {
    std::string group, name, value;
    std::uint64_t version = 0;  // that it must have; 0: it is not there
  };

  /// Errors: refused, corrupt, not_found (the plugin); invalid (its table); conflict (another one works on the
  /// namespace); unavailable, denied (the store).
  static Result<std::unique_ptr<NamespaceSession>> open(const config::Config& config);
  ~NamespaceSession();

  /// The groups that this session leads, by name, with their terms' epochs as the store counts them.
  const std::map<std::string, std::uint64_t>& led() const { return led_; }
  /// Takes part in the elections of these groups too, and waits until all of them are led. `waits` is called now and
  /// then with the groups that are not. Errors: timeout.
  Result<void> lead(const std::vector<std::string>& groups, Millis patience,
                    const std::function<void(const std::vector<std::string>&)>& waits);

  /// What terms before have written is in what is listed from now on, and no run of theirs that ends with its term goes
  /// on. A store that does not fence may take a write of theirs for T more; runs of a term that did not end cleanly go
  /// on until its deadline, and are waited for no longer than `longest`, or T where that is more. `waits` is called
  /// before with how long that takes, where it does.
  Result<void> outwait_terms(Millis longest, const std::function<void(Millis)>& waits);

  /// All registers and records whose name begins with `prefix`; of all letters where it is "".
  Result<std::vector<Register>> list(const std::string& prefix);
  /// Of all groups; epochs as the store counts them.
  Result<std::vector<Election>> observe();
  /// The answers in the order of the changes; an answer that is not known is asked for again. Errors: unavailable, and
  /// where a term is over.
  Result<std::vector<WriteAnswer>> write(const std::vector<Change>& changes);
  /// Each is `done`, or `conflict` where it was there.
  Result<std::vector<WriteAnswer>> create(const std::vector<Record>& records);
  Result<void> remove(const std::vector<std::string>& names);

  /// Ends all terms and the session. False: the store has not confirmed it.
  bool close();

 private:
  using Clock = std::chrono::steady_clock;

  explicit NamespaceSession(const PluginInfo& plugin);
  Backend& backend() { return port_.backend(); }
  void renew_if_due();
  std::optional<BackendEvent> next(Clock::time_point until);
  void note(const BackendEvent& event);
  Result<void> check() const;
  template <class Event>
  Result<Event> await(Clock::time_point until);
  template <class Event>
  Result<Event> await_request(RequestId request);
  template <class Ask>
  Result<std::vector<WriteAnswer>> commit(std::size_t size, const Ask& ask);

  PostedEvents posted_;
  RequestId last_request_ = 0;
  std::map<std::string, std::uint64_t> led_;
  std::optional<backend::SessionClosed> closed_;
  std::string lost_group_;   // whose term has ended
  SteadyTime runs_until_{};  // of terms before these, at the latest
  Millis timeout_{0};        // T, as granted
  Capability capability_ = Capability::fenced;
  Clock::time_point renew_at_ = Clock::time_point::max(), renewed_{};
  io::BackendPort port_;  // last: it posts until it is gone
};

}  // namespace ballot::app
