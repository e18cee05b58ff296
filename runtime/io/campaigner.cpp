#include "io/campaigner.hpp"

#include <unistd.h>

#include <utility>

#include "io/clocks.hpp"

namespace ballot::io {

Campaigner::Campaigner(MainLoop& loop, CampaignerSettings settings, const PluginInfo& plugin, Log log,
                       CampaignerHandlers handlers)
    : settings_(std::move(settings)),
      handlers_(std::move(handlers)),
      candidacy_(settings_.group, settings_.stop_grace),
      self_(std::make_shared<Campaigner*>(this)),
      timer_(loop.context(), [this] { feed(core::Tick{}); }),
      port_(plugin, std::move(log), [&loop, self = self_] {
        loop.post([self] {
          if (*self) (*self)->take_posted();
        });
      }) {}

Campaigner::~Campaigner() { *self_ = nullptr; }

Result<void> Campaigner::start() {
  if (auto made = port_.start(settings_.backend); !made) return made;
  port_.configure(settings_.groups);
  feed(core::Tick{});
  return {};
}

void Campaigner::take_posted() {
  for (BackendEvent& event : port_.take()) feed(std::move(event));
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
  const core::CandidateStatus before = candidacy_.status();
  perform(candidacy_.step(read_clocks(), event));
  notify_handlers(before, event);
}

void Campaigner::notify_handlers(const core::CandidateStatus& before, const core::Candidacy::Event& event) {
  if (candidacy_.status() != before) handlers_.on_status(before);
  const auto* answer = std::get_if<BackendEvent>(&event);
  if (answer && answer->generation == candidacy_.session().generation() && handlers_.on_answer)
    handlers_.on_answer(*answer);
}

void Campaigner::arm() {
  if (const auto wake = candidacy_.wake())
    timer_.arm(*wake);
  else
    timer_.disarm();
}

void Campaigner::perform(core::Actions actions) {
  for (core::Action& action : actions) std::visit([this](auto& what) { perform(what); }, action);
}

void Campaigner::perform(core::OpenSession& a) {
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
  port_.open(request);
}

}  // namespace ballot::io
