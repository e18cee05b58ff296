#include "support/process/hanging_resolver.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <chrono>
#include <string_view>

namespace ballot::testing {

namespace {

std::mutex present_mutex;
std::shared_ptr<HangingResolver::State> present;  // under present_mutex; null: nothing hangs

std::shared_ptr<HangingResolver::State> state() {
  const std::lock_guard hold(present_mutex);
  return present;
}

}  // namespace

HangingResolver::HangingResolver() : state_(std::make_shared<State>()) {
  const std::lock_guard hold(present_mutex);
  present = state_;
}

HangingResolver::~HangingResolver() {
  {
    const std::lock_guard hold(present_mutex);
    present = nullptr;
  }
  const std::lock_guard hold(state_->mutex);
  state_->released = true;
  state_->changed.notify_all();
}

bool HangingResolver::await_asked() {
  std::unique_lock hold(state_->mutex);
  return state_->changed.wait_for(hold, std::chrono::seconds(20), [this] { return state_->asked > 0; });
}

}  // namespace ballot::testing

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
  using Resolve = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto next = reinterpret_cast<Resolve>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const auto state = ballot::testing::state();
  const bool is_number = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
  if (state == nullptr || is_number || node == nullptr || !std::string_view(node).ends_with(".hangs"))
    return next(node, service, hints, found);
  std::unique_lock hold(state->mutex);
  ++state->asked;
  state->changed.notify_all();
  state->changed.wait(hold, [&] { return state->released; });
  return EAI_NONAME;
}
