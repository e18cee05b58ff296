#include "io/campaigner.hpp"

#include <unistd.h>

#include <utility>

#include "io/clocks.hpp"

namespace ballot::io {

Campaigner::Campaigner(MainLoop& loop, CampaignerSettings settings, const PluginInfo& plugin, Log log,
                       CampaignerHandlers handlers)
    : loop_(loop),
      settings_(std::move(settings)),
      plugin_(plugin),
      log_(std::move(log)),
      handlers_(std::move(handlers)),
      candidacy_(settings_.group, settings_.ladder),
      posted_(std::make_shared<Posted>()),
      timer_(loop.context(), [this] { feed(core::Tick{}); }) {
  posted_->campaigner = this;
}

Campaigner::~Campaigner() {
  backend_.reset();
  posted_->campaigner = nullptr;
}

Result<void> Campaigner::start() {
  Error error;
  backend_.reset(plugin_.create(*this, settings_.backend, error));
  if (!backend_) return error;
  feed(core::Tick{});
  return {};
}

/// From the backend's threads.
void Campaigner::post(BackendEvent event) noexcept {
  const std::lock_guard lock(posted_->mutex);
  posted_->events.push_back(std::move(event));
  if (posted_->events.size() > 1) return;
  loop_.post([posted = posted_] {
    if (posted->campaigner) posted->campaigner->take_posted();
  });
}

void Campaigner::log(Level level, std::string_view text) noexcept { log_(level, text, {{"backend", plugin_.name}}); }

void Campaigner::take_posted() {
  std::vector<BackendEvent> events;
  {
    const std::lock_guard lock(posted_->mutex);
    events.swap(posted_->events);
  }
  for (BackendEvent& event : events) feed(std::move(event));
}

void Campaigner::feed(const core::Candidacy::Event& event) {
  queue_.push_back(event);
  if (std::exchange(feeding_, true)) return;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const core::Candidacy::Event next = std::move(queue_[i]);
    step(next);
  }
  queue_.clear();
  feeding_ = false;
  arm();
}

void Campaigner::step(const core::Candidacy::Event& event) {
  const core::Standing before = candidacy_.standing();
  perform(candidacy_.step(read_clocks(), event));
  tell(before, event);
}

void Campaigner::tell(const core::Standing& before, const core::Candidacy::Event& event) {
  if (candidacy_.standing() != before) handlers_.on_standing(before);
  const auto* told = std::get_if<BackendEvent>(&event);
  if (told && told->generation == candidacy_.session().generation() && handlers_.on_answer) handlers_.on_answer(*told);
}

void Campaigner::arm() {
  if (const auto wake = candidacy_.wake())
    timer_.arm(*wake);
  else
    timer_.disarm();
}

void Campaigner::perform(core::Actions actions) {
  for (const core::Action& action : actions) std::visit([this](const auto& what) { perform(what); }, action);
}

void Campaigner::perform(const core::OpenSession& a) {
  SessionRequest request{a.generation,
                         settings_.candidate,
                         boot_id(),
                         machine_id(),
                         host_name(),
                         static_cast<int>(::getpid()),
                         settings_.version,
                         "",
                         settings_.session_timeout,
                         false};
  request.only_group = settings_.group;
  request.anew = settings_.anew && a.generation == 1;
  backend_->open(request);
}

}  // namespace ballot::io
