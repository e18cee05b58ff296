// BackendPort: the one way between the runtime and a backend's plugin. Actions of a core go in, and the events that the
// plugin posts from its own threads wait here until they are taken. It knows nothing of what they mean; what a
// namespace that moves to another store means to its users is its gate's (namespace_gate.hpp).
//
// Thread: its owner's, but for `wake`, which comes from the plugin's threads, also while the port is destroyed.
//
//   BackendPort port(plugin, log, [&loop] { loop.post(take); });
//   if (auto made = port.start(settings); !made) return made.error();
//   port.open(request);
//   ... for (BackendEvent& event : port.take()) ...
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/job.hpp"
#include "ballot/log.hpp"
#include "ballot/plugin.hpp"
#include "core/action.hpp"
#include "io/namespace_gate.hpp"

namespace ballot::io {

class BackendPort final : private Host {
 public:
  /// `of_mover`: it is `ballot store` itself, which uses a namespace whatever its marks say, and by the store's own
  /// epochs.
  enum class Use { guarded, of_mover };

  /// `wake`: there are events, and there were none before. Must not block.
  BackendPort(const PluginInfo& plugin, Log log, std::function<void()> wake, Use use = Use::guarded);
  /// Nothing is posted any more when it returns.
  ~BackendPort();

  /// Makes the backend. Errors: the plugin's. Before anything else.
  Result<void> start(const BackendSettings& settings);
  /// Hands on what the groups' tables of this backend say, where that has changed. Before open().
  void configure(const std::vector<Group>& groups);
  void open(const SessionRequest& request);
  Backend& backend() { return *backend_; }
  /// As the namespace's marks say, since the session was opened.
  const core::NamespaceState& name_space() const { return gate_.state(); }

  /// Events that were posted since the last call, in order.
  std::vector<BackendEvent> take();

  void perform(core::CloseSession& a) { backend_->close(a.keep); }
  void perform(core::Renew& a);
  void perform(core::Campaign& a) { backend_->campaign(a.group); }
  void perform(core::Resign& a) { backend_->resign(a.group); }
  void perform(core::Write& a);
  void perform(core::Read& a) { backend_->read(a.request, std::move(a.names)); }
  void perform(core::List& a) { backend_->list(a.request, std::move(a.prefix)); }
  void perform(core::Create& a) { backend_->create(a.request, std::move(a.records)); }
  void perform(core::Remove& a) { backend_->remove(a.request, std::move(a.names)); }
  void perform(core::Watch& a) { backend_->watch(a.prefix); }
  void perform(core::Observe& a) { backend_->observe(a.request, a.group); }

 private:
  void post(BackendEvent event) noexcept override;
  void log(Level level, std::string_view text) noexcept override;

  const PluginInfo& plugin_;
  const Log log_;
  const std::function<void()> wake_;
  const Use use_;
  NamespaceGate gate_;
  std::mutex mutex_;
  std::vector<BackendEvent> events_;
  std::map<std::string, Options> group_tables_;  // as handed on
  std::unique_ptr<Backend> backend_;             // last: it posts until it is gone
};

/// Actions that a BackendPort performs.
template <class Action>
concept ForBackend = requires(BackendPort& port, Action& action) {
  port.perform(action);
};

}  // namespace ballot::io
