// SocketTraffic: what a process has sent and received over the TCP connections that it has now, as the kernel counts
// it. Of a process that the caller may trace: its own child, or any for root.
//
//   const SocketTraffic before = socket_traffic_of(pid);
//   ... (socket_traffic_of(pid) - before).messages_out
#pragma once

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/unique_fd.hpp"

namespace ballot::testing {

struct SocketTraffic {
  std::uint64_t messages_out = 0, messages_in = 0;  // segments with data
  std::uint64_t bytes_out = 0, bytes_in = 0;

  SocketTraffic operator-(const SocketTraffic& before) const {
    return {messages_out - before.messages_out, messages_in - before.messages_in, bytes_out - before.bytes_out,
            bytes_in - before.bytes_in};
  }
};

inline SocketTraffic socket_traffic_of(pid_t pid) {
  SocketTraffic all;
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored)) {
    const int number = std::atoi(entry.path().filename().c_str());
    const UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), number, 0)));
    tcp_info info{};
    socklen_t size = sizeof info;
    if (fd.get() < 0 || ::getsockopt(fd.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    all.messages_out += info.tcpi_data_segs_out;
    all.messages_in += info.tcpi_data_segs_in;
    all.bytes_out += info.tcpi_bytes_acked;
    all.bytes_in += info.tcpi_bytes_received;
  }
  return all;
}

}  // namespace ballot::testing
