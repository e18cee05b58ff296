// SdNotify: reports the state of the daemon to the service manager (sd_notify(3)), without libsystemd.
//
// Outside of a service it does nothing. Threads: any.
//
//   SdNotify notify = SdNotify::from_environment();
//   notify.ready("leading 3 groups");
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ballot/time.hpp"

namespace ballot::io {

class SdNotify {
 public:
  /// `address`: the path of a datagram socket, or `@name` for an abstract one; "": nobody to notify.
  explicit SdNotify(std::string address) : address_(std::move(address)) {}

  /// By $NOTIFY_SOCKET.
  static SdNotify from_environment();

  /// Whether there is somebody to notify.
  bool is_enabled() const { return !address_.empty(); }

  /// Each returns false if it could not be sent. A line break in `status` ends it.
  bool ready(std::string_view status) const;
  bool status(std::string_view status) const;
  bool stopping() const { return send("STOPPING=1\n"); }
  bool watchdog() const { return send("WATCHDOG=1\n"); }

 private:
  bool send(const std::string& state) const;

  std::string address_;
};

/// How often the service manager expects watchdog() at the least ($WATCHDOG_USEC, $WATCHDOG_PID); none if it does
/// not watch this process. Call it twice as often.
std::optional<Millis> watchdog_interval();

}  // namespace ballot::io
