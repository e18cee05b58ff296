#include "io/backend_port.hpp"

namespace ballot::io {

BackendPort::BackendPort(const PluginInfo& plugin, Log log, std::function<void()> wake)
    : plugin_(plugin), log_(std::move(log)), wake_(std::move(wake)) {}

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

std::vector<BackendEvent> BackendPort::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
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
