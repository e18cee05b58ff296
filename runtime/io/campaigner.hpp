// Campaigner: the shell around a core::Candidacy: it owns the backend, feeds the candidacy with time and with what the
// store says, and performs what it answers. It knows nothing of children.
//
// Thread: the loop's. Handlers are called on it, after the step that brought them about; what they ask for is done
// after them. No callback comes after the destructor.
//
//   Campaigner campaigner(loop, {...}, plugin, log, {on_status, on_answer});
//   if (auto made = campaigner.start(); !made) return fail(made.error());
//   campaigner.enter();
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ballot/plugin.hpp"
#include "core/candidate/candidacy.hpp"
#include "io/backend_port.hpp"
#include "io/main_loop.hpp"
#include "io/wall_timer.hpp"

namespace ballot::io {

struct CampaignerSettings {
  std::string candidate;  // its name
  std::string group;
  std::string version;
  Millis session_timeout{0};  // 0: the backend's own
  Millis stop_grace{0};       // how long what runs may take to end
  BackendSettings backend;
  std::vector<Group> groups;  // as the files define them: their tables of the backend
  bool anew = false;          // the session before is not gone on with: see SessionRequest::anew
};

struct CampaignerHandlers {
  /// The candidate's status has changed.
  std::function<void(const core::CandidateStatus& before)> on_status;
  /// An answer of the store to what perform() asked for.
  std::function<void(const BackendEvent&)> on_answer;
};

class Campaigner {
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
  const core::CandidateStatus& status() const { return candidacy_.status(); }
  /// The namespace was moved to another store.
  bool is_moved() const { return port_.name_space().use == core::NamespaceState::Use::moved; }

  /// Asks the store for more: reads and writes of registers, with the numbers of this session.
  RequestId& last_request() { return candidacy_.last_request(); }
  void perform(core::Actions actions);

 private:
  void take_posted();
  void feed(const core::Candidacy::Event& event);
  void step(const core::Candidacy::Event& event);
  void arm();
  void notify_handlers(const core::CandidateStatus& before, const core::Candidacy::Event& event);

  void perform(core::OpenSession& a);
  template <ForBackend Action>
  void perform(Action& a) {
    port_.perform(a);
  }
  template <class Other>
  requires(!ForBackend<Other>) void perform(Other&) {}  // a candidacy asks for nothing of jobs

  const CampaignerSettings settings_;
  const CampaignerHandlers handlers_;
  core::Candidacy candidacy_;
  std::shared_ptr<Campaigner*> self_;  // null once it is gone: what the backend's threads post comes later
  BootTimer timer_;
  bool feeding_ = false;
  std::vector<core::Candidacy::Event> queue_;
  BackendPort port_;  // last: it posts until it is gone
};

}  // namespace ballot::io
