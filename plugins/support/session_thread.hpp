// SessionThread: what a ThreadedBackend shares with its thread, which may outlive it. The loop's side asks; the
// thread's calls the driver and posts to the host, until it is abandoned.
//
//   | state     | the loop's calls                       | next                                                     |
//   | --------- | -------------------------------------- | -------------------------------------------------------- |
//   | serving   | go to the driver                       | stopping: stop()                                         |
//   | stopping  | what was asked before is carried out   | ended, or abandoned, where that takes too long           |
//   | ended     | none                                   | joined                                                   |
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ballot/backend.hpp"
#include "support/log_rate.hpp"
#include "support/mailbox.hpp"
#include "support/session_driver.hpp"

namespace ballot::support {

class SessionThread final : public Outlet, private Host {
 public:
  struct OpenCall {
    SessionRequest request;
    SteadyTime asked{};
  };
  struct CloseCall {
    bool keep = false;
  };
  struct ConfigureCall {
    std::map<std::string, Options> groups;
  };
  using Asked = std::variant<ConfigureCall, OpenCall, CloseCall, Call>;

  SessionThread(Host& host, const MakeDriver& make);

  // The loop's side.
  void ask(Asked call);
  void renew(RequestId request);
  void stop();
  /// False: it still waits for something.
  bool wait_ended(Millis limit);
  /// Nothing is posted or logged any more.
  void abandon() noexcept;

  // The thread's.
  void run() noexcept;

  void post(Event event) override;
  void opened(backend::SessionOpened opened, std::optional<SteadyTime> counts_from) override;
  void closed(backend::SessionClosed closed) override;
  Host& host() override { return *this; }
  const std::shared_ptr<Wakeup>& wakeup() override { return wakeup_; }
  bool pressed() const noexcept override { return stopping_ || renewal_waits_; }

 private:
  void post(BackendEvent event) noexcept override;
  void log(Level level, std::string_view text) noexcept override;

  std::optional<SteadyTime> next_due() const;
  void iterate(bool readable);
  void serve(std::vector<Asked> all);
  void carry_out(std::vector<Call>& calls);
  void end();

  const std::shared_ptr<Wakeup> wakeup_ = std::make_shared<Wakeup>();
  Mailbox<Asked> queue_{wakeup_};
  std::mutex mutex_;
  std::condition_variable end_;
  Host* host_;           // under mutex_; null: abandoned
  bool silent_ = false;  // under mutex_: nothing is posted any more
  bool ended_ = false;   // under mutex_
  LogRate log_rate_;     // under mutex_
  std::atomic<bool> stopping_{false};
  std::atomic<bool> renewal_waits_{false};  // in the queue
  std::atomic<Millis> timeout_{Millis(0)};  // T, as granted
  /// When the session ends if nobody asks to renew it before; never, where none is open.
  std::atomic<SteadyTime> expires_{SteadyTime::max()};

  // The thread's own.
  std::uint64_t generation_ = 0;
  bool open_ = false;
  std::unique_ptr<SessionDriver> driver_;
};

}  // namespace ballot::support
