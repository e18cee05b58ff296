// Threads of a plugin. Signals are the embedding program's: none is delivered to them.
//
//   std::thread thread = start_thread("ballot-local", [session] { session->run(); });
//   const SignalsBlocked blocked;   // around calls of a library that makes threads by itself
#pragma once

#include <pthread.h>
#include <signal.h>

#include <functional>
#include <thread>
#include <utility>

namespace ballot::support {

/// For the calling thread, as long as it lives; threads that are made meanwhile inherit it for good.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// `name`: at most 15 letters. Throws std::system_error where there is no thread to be had.
inline std::thread start_thread(const char* name, std::function<void()> work) {
  const SignalsBlocked blocked;
  std::thread thread(std::move(work));
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace ballot::support
