// HostCall: while it lives, this thread calls code of the host on behalf of a runtime: a callback, or a function. What
// waits for those must not be called there.
//
//   const HostCall call(this);
//   callback();
//   ... HostCall::is_under_way(this) ...
//
// Threads: each for itself. They nest.
#pragma once

namespace ballot::library {

class HostCall {
 public:
  explicit HostCall(const void* runtime) : runtime_(runtime), outer_(innermost_) { innermost_ = this; }
  ~HostCall() { innermost_ = outer_; }
  HostCall(const HostCall&) = delete;
  HostCall& operator=(const HostCall&) = delete;

  /// On this thread.
  static bool is_under_way(const void* runtime) {
    for (const HostCall* call = innermost_; call != nullptr; call = call->outer_)
      if (call->runtime_ == runtime) return true;
    return false;
  }

 private:
  const void* const runtime_;
  const HostCall* const outer_;
  static inline thread_local const HostCall* innermost_ = nullptr;
};

}  // namespace ballot::library
