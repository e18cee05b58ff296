#include "local_backend.hpp"

#include <utility>

#include "support/clock.hpp"
#include "support/thread.hpp"

namespace ballot::local {

using namespace std::chrono_literals;

namespace {

constexpr Millis ending_patience = 1s;

}  // namespace

LocalBackend::LocalBackend(Host& host, std::string folder)
    : worker_(std::make_shared<Worker>(host, std::move(folder))) {
  thread_ = start_thread("ballot-local", [worker = worker_] { worker->run(); });
}

LocalBackend::~LocalBackend() {
  worker_->stop();
  if (worker_->wait_ended(ending_patience)) {
    thread_.join();
  } else {
    worker_->abandon();
    thread_.detach();
  }
}

void LocalBackend::open(const SessionRequest& request) noexcept {
  const SteadyTime now = boot_now();
  timeout_ = Session::granted(request.timeout);
  observer_ = request.observer;
  worker_->set_expiry(observer_ ? SteadyTime::max() : now + timeout_);
  ask(OpenCall{request, now});
}

void LocalBackend::renew(RequestId request) noexcept {
  const SteadyTime now = boot_now();
  // Too late is too late, even where the thread has had no time yet to say so.
  if (now >= worker_->expiry()) return;
  if (!observer_) worker_->set_expiry(now + timeout_);
  ask(Call(RenewCall{request, now}));
}

void LocalBackend::campaign(const std::string& group) noexcept { ask(Call(CampaignCall{group})); }

void LocalBackend::resign(const std::string& group) noexcept { ask(Call(ResignCall{group})); }

void LocalBackend::write(RequestId request, std::vector<RegisterWrite> batch) noexcept {
  ask(Call(WriteCall{request, std::move(batch)}));
}

void LocalBackend::read(RequestId request, std::vector<std::string> names) noexcept {
  ask(Call(ReadCall{request, std::move(names)}));
}

void LocalBackend::list(RequestId request, std::string prefix) noexcept {
  ask(Call(ListCall{request, std::move(prefix)}));
}

void LocalBackend::create(RequestId request, std::vector<Record> records) noexcept {
  ask(Call(CreateCall{request, std::move(records)}));
}

void LocalBackend::remove(RequestId request, std::vector<std::string> names) noexcept {
  ask(Call(RemoveCall{request, std::move(names)}));
}

void LocalBackend::watch(const std::string& prefix) noexcept { ask(Call(WatchCall{prefix})); }

void LocalBackend::observe(RequestId request, const std::string& group) noexcept {
  ask(Call(ObserveCall{request, group}));
}

void LocalBackend::evict(RequestId request, const std::string& group) noexcept { ask(Call(EvictCall{request, group})); }

void LocalBackend::close(bool keep) noexcept { ask(CloseCall{keep}); }

}  // namespace ballot::local
