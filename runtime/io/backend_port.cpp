#include "io/backend_port.hpp"

namespace ballot::io {

BackendPort::BackendPort(const PluginInfo& plugin, Log log, std::function<void()> wake, Use use)
    : plugin_(plugin), log_(std::move(log)), wake_(std::move(wake)), use_(use) {}

BackendPort::~BackendPort() = default;

Result<void> BackendPort::start(const BackendSettings& settings) {
  Error error;
  backend_.reset(plugin_.create(*this, settings, error));
  if (!backend_) return error;
  return {};
}

void BackendPort::configure(const std::vector<Group>& groups) {
  std::map<std::string, Options> tables;
  for (const Group& group : groups)
    if (const auto table = group.options.find(plugin_.name); table != group.options.end())
      tables[group.name] = table->second;
  if (tables == group_tables_) return;
  group_tables_ = tables;
  backend_->configure(std::move(tables));
}

void BackendPort::open(const SessionRequest& request) {
  gate_.on_open(request);
  backend_->open(request);
}

std::vector<BackendEvent> BackendPort::take() {
  std::vector<BackendEvent> posted;
  {
    const std::lock_guard lock(mutex_);
    posted = std::exchange(events_, {});
  }
  return use_ == Use::of_mover ? posted : gate_.pass(std::move(posted), *backend_);
}

void BackendPort::perform(core::Renew& a) {
  backend_->renew(a.request);
  gate_.on_renew(*backend_);
}

void BackendPort::perform(core::Write& a) {
  gate_.translate(a.batch);
  backend_->write(a.request, std::move(a.batch));
}

/// From the backend's threads.
void BackendPort::post(BackendEvent event) noexcept {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    if (events_.size() > 1) return;
  }
  wake_();
}

void BackendPort::log(Level level, std::string_view text) noexcept { log_(level, text, {{"backend", plugin_.name}}); }

}  // namespace ballot::io
