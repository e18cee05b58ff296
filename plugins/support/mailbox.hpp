// Mailbox: the messages of other threads to a plugin's thread, in order. The first message wakes it. Several may share
// one Wakeup, so that one thread waits for all of them; whoever pushes may outlive the thread. push() from any thread.
//
//   auto wakeup = std::make_shared<Wakeup>();
//   Mailbox<Message> mailbox(wakeup);
//   mailbox.push(message);                                     // a client library's thread
//   wakeup->wait(due);  for (Message& one : mailbox.take()) ...  // the plugin's
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "support/wakeup.hpp"

namespace ballot::support {

template <class T>
class Mailbox {
 public:
  explicit Mailbox(std::shared_ptr<Wakeup> wakeup) : wakeup_(std::move(wakeup)) {}

  void push(T message) {
    bool first;
    {
      const std::lock_guard hold(mutex_);
      first = messages_.empty();
      messages_.push_back(std::move(message));
    }
    if (first) wakeup_->wake();
  }

  std::vector<T> take() {
    const std::lock_guard hold(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  const std::shared_ptr<Wakeup> wakeup_;
  std::mutex mutex_;
  std::vector<T> messages_;  // under mutex_
};

}  // namespace ballot::support
