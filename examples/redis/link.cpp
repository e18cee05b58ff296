#include "link.hpp"

#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

#include "support/clock.hpp"
#include "support/mailbox.hpp"
#include "support/thread.hpp"

namespace redis {

using namespace ballot;
using support::boot_now;

namespace {

constexpr Millis connect_patience{1000};

timeval time_of(Millis millis) {
  const auto left = std::max<Millis::rep>(millis.count(), 1);
  return {left / 1000, left % 1000 * 1000};
}

void add_words(const redisReply& reply, std::vector<std::string>& words) {
  if (reply.type == REDIS_REPLY_ARRAY)
    for (std::size_t i = 0; i < reply.elements; ++i) add_words(*reply.element[i], words);
  else if (reply.type == REDIS_REPLY_INTEGER)
    words.push_back(std::to_string(reply.integer));
  else if (reply.type != REDIS_REPLY_NIL)
    words.emplace_back(reply.str, reply.len);
}

/// These are said before anything is done. Any other error may come from the middle of a script, which undoes nothing.
bool is_refusal(std::string_view text) {
  constexpr std::array codes{"DENIED", "NOAUTH", "WRONGPASS", "NOPERM", "READONLY", "OOM", "MISCONF"};
  return std::any_of(codes.begin(), codes.end(), [&](const char* code) { return text.starts_with(code); });
}

Reply reply_of(const redisReply& found) {
  if (found.type == REDIS_REPLY_ERROR) {
    const std::string text(found.str, found.len);
    return {is_refusal(text) ? StoreResult::failed : StoreResult::unknown, {}, text};
  }
  Reply reply{StoreResult::done};
  add_words(found, reply.words);
  return reply;
}

}  // namespace

/// The thread and what it shares with the link; it may outlive that.
class Link::Worker {
 public:
  Worker(Server server, std::shared_ptr<support::Wakeup> wakeup)
      : replies(std::move(wakeup)), server_(std::move(server)) {}
  ~Worker() { disconnect(); }

  support::Mailbox<std::pair<std::uint64_t, Reply>> replies;

  void push(std::uint64_t number, Command command, SteadyTime until) {
    const std::lock_guard hold(mutex_);
    asked_.push_back({number, std::move(command), until});
    changed_.notify_one();
  }
  void end() {
    const std::lock_guard hold(mutex_);
    ended_ = true;
    if (context_ != nullptr) ::shutdown(context_->fd, SHUT_RDWR);
    changed_.notify_one();
  }
  void run() {
    while (const auto next = take()) replies.push({next->number, carry_out(*next)});
  }

 private:
  struct Asked {
    std::uint64_t number;
    Command command;
    SteadyTime until;
  };

  std::optional<Asked> take() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return ended_ || !asked_.empty(); });
    if (ended_) return std::nullopt;
    Asked next = std::move(asked_.front());
    asked_.pop_front();
    return next;
  }

  Reply carry_out(const Asked& asked) {
    if (context_ == nullptr)
      if (Reply reply = connect(asked.until); reply.outcome != StoreResult::done) return reply;
    return send(asked.command, asked.until);
  }

  Reply connect(SteadyTime until) {
    const Millis left = std::min<Millis>(until - boot_now(), connect_patience);
    redisContext* const made = redisConnectWithTimeout(server_.host.c_str(), server_.port, time_of(left));
    {
      const std::lock_guard hold(mutex_);
      context_ = made;
      if (ended_) return {};
    }
    if (made == nullptr || made->err != 0) return lost();
    if (server_.password.empty()) return {StoreResult::done};
    Reply reply = send({"AUTH", server_.user, server_.password}, until);
    if (reply.outcome != StoreResult::done) disconnect();
    return reply;
  }

  Reply send(const Command& command, SteadyTime until) {
    if (boot_now() >= until) return {};
    redisSetTimeout(context_, time_of(until - boot_now()));
    std::vector<const char*> words;
    std::vector<std::size_t> sizes;
    for (const std::string& word : command) {
      words.push_back(word.data());
      sizes.push_back(word.size());
    }
    const std::unique_ptr<redisReply, void (*)(void*)> reply(
        static_cast<redisReply*>(
            redisCommandArgv(context_, static_cast<int>(words.size()), words.data(), sizes.data())),
        freeReplyObject);
    return reply ? reply_of(*reply) : lost();
  }

  Reply lost() {
    Reply reply{StoreResult::unknown, {}, server_.text() + ": " + (context_ ? context_->errstr : "out of memory")};
    disconnect();
    return reply;
  }

  void disconnect() {
    const std::lock_guard hold(mutex_);
    if (context_ != nullptr) redisFree(std::exchange(context_, nullptr));
  }

  const Server server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> asked_;          // under mutex_
  bool ended_ = false;               // under mutex_
  redisContext* context_ = nullptr;  // the thread's; it is changed under mutex_
};

Link::Link(Server server, std::shared_ptr<support::Wakeup> wakeup)
    : worker_(std::make_shared<Worker>(std::move(server), std::move(wakeup))) {
  support::start_thread("ballot-redis-io", [worker = worker_] { worker->run(); }).detach();
}

Link::~Link() { worker_->end(); }

void Link::ask(Command command, Done done, support::Priority priority, std::size_t weight) {
  const auto send = [this, command = std::move(command)](std::uint64_t number) {
    worker_->push(number, command, boot_now() + patience_);
  };
  requests_.ask(send, std::move(done), priority, weight);
}

void Link::receive() {
  for (const auto& [number, reply] : worker_->replies.take()) requests_.answer(number, reply);
}

void Link::tick(SteadyTime now) {
  requests_.time_out(now, patience_, {StoreResult::unknown, {}, "the server did not answer in time"});
}

}  // namespace redis
