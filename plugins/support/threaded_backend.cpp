#include "support/threaded_backend.hpp"

#include "support/clock.hpp"
#include "support/session_thread.hpp"
#include "support/thread.hpp"

namespace ballot::support {

namespace {

constexpr Millis ending_patience{1'000};

}  // namespace

ThreadedBackend::ThreadedBackend(Host& host, const char* thread, const MakeDriver& make)
    : session_(std::make_shared<SessionThread>(host, make)) {
  thread_ = start_thread(thread, [session = session_] { session->run(); });
}

ThreadedBackend::~ThreadedBackend() {
  session_->stop();
  if (session_->wait_ended(ending_patience)) {
    thread_.join();
  } else {
    session_->abandon();
    thread_.detach();
  }
}

void ThreadedBackend::configure(std::map<std::string, Options> groups) noexcept {
  session_->ask(SessionThread::ConfigureCall{std::move(groups)});
}

void ThreadedBackend::open(const SessionRequest& request) noexcept {
  session_->ask(SessionThread::OpenCall{request, boot_now()});
}

void ThreadedBackend::renew(RequestId request) noexcept { session_->renew(request); }

void ThreadedBackend::close(bool keep) noexcept { session_->ask(SessionThread::CloseCall{keep}); }

void ThreadedBackend::ask(Call call) noexcept { session_->ask(std::move(call)); }

}  // namespace ballot::support
