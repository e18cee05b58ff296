// Campaigner: the shell around a core::Candidacy: it owns the backend, feeds the candidacy with time and with what the
// store says, and performs what it answers. It knows nothing of children.
//
// Thread: the loop's. Handlers are called on it, after the step that brought them about; what they ask for is done
// after them. No callback comes after the destructor.
//
//   Campaigner campaigner(loop, {...}, plugin, log, {on_standing, on_answer});
//   if (auto made = campaigner.start(); !made) return fail(made.error());
//   campaigner.enter();
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ballot/plugin.hpp"
#include "core/candidacy.hpp"
#include "io/main_loop.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

struct CampaignerSettings {
  std::string candidate;  // its name
  std::string group;
  std::string version;
  Millis session_timeout{0};  // 0: the backend's own
  Millis ladder{0};           // how long what runs may take to end
  BackendSettings backend;
  bool anew = false;  // the session before is not gone on with: see SessionRequest::anew
};

struct CampaignerHandlers {
  /// The candidate stands otherwise than before.
  std::function<void(const core::Standing& before)> on_standing;
  /// An answer of the store to what perform() asked for.
  std::function<void(const BackendEvent&)> on_answer;
};

class Campaigner final : private Host {
 public:
  Campaigner(MainLoop& loop, CampaignerSettings settings, const PluginInfo& plugin, Log log,
             CampaignerHandlers handlers);
  ~Campaigner();
  Campaigner(const Campaigner&) = delete;
  Campaigner& operator=(const Campaigner&) = delete;

  /// Makes the backend and begins the session.
  Result<void> start();

  void enter() { feed(core::Enter{}); }
  void leave() { feed(core::Leave{}); }
  void close() { feed(core::Close{}); }

  const core::Candidacy& candidacy() const { return candidacy_; }
  const core::Standing& standing() const { return candidacy_.standing(); }

  /// Asks the store for more: reads and writes of registers, with the numbers of this session.
  RequestId& last_request() { return candidacy_.last_request(); }
  void perform(core::Actions actions);

 private:
  void post(BackendEvent event) noexcept override;
  void log(Level level, std::string_view text) noexcept override;
  void take_posted();
  void feed(const core::Candidacy::Event& event);
  void step(const core::Candidacy::Event& event);
  void arm();
  void tell(const core::Standing& before, const core::Candidacy::Event& event);

  void perform(const core::OpenSession& a);
  void perform(const core::CloseSession& a) { backend_->close(a.keep); }
  void perform(const core::Renew& a) { backend_->renew(a.request); }
  void perform(const core::Campaign& a) { backend_->campaign(a.group); }
  void perform(const core::Resign& a) { backend_->resign(a.group); }
  void perform(const core::Write& a) { backend_->write(a.request, a.batch); }
  void perform(const core::Read& a) { backend_->read(a.request, a.names); }
  void perform(const core::List& a) { backend_->list(a.request, a.prefix); }
  void perform(const core::Create& a) { backend_->create(a.request, a.records); }
  void perform(const core::Remove& a) { backend_->remove(a.request, a.names); }
  void perform(const core::Watch& a) { backend_->watch(a.prefix); }
  void perform(const core::Observe& a) { backend_->observe(a.request, a.group); }
  template <class Other>
  void perform(const Other&) {}  // a candidacy asks for nothing of jobs

  struct Posted {  // what other threads left for the loop
    std::mutex mutex;
    std::vector<BackendEvent> events;
    Campaigner* campaigner;  // null once it is gone
  };

  MainLoop& loop_;
  const CampaignerSettings settings_;
  const PluginInfo& plugin_;
  const Log log_;
  const CampaignerHandlers handlers_;
  core::Candidacy candidacy_;
  std::shared_ptr<Posted> posted_;
  BootTimer timer_;
  std::unique_ptr<Backend> backend_;  // before the timer: it posts until it is gone
  bool feeding_ = false;
  std::vector<core::Candidacy::Event> queue_;
};

}  // namespace ballot::io
