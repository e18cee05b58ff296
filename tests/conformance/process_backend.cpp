#include "conformance/process_backend.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

namespace ballot::conformance {

using Kind = CandidateCall::Kind;

ProcessBackend::ProcessBackend(const std::string& program, const std::string& plugin, const std::string& name_space,
                               const std::string& state_dir, Host& host)
    : host_(host) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  // posix_spawn's dup2 of a descriptor onto itself clears its CLOEXEC; any other stays closed on exec.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
  const char* argv[] = {program.c_str(), plugin.c_str(), name_space.c_str(), state_dir.c_str(), nullptr};
  if (::posix_spawn(&pid_, program.c_str(), &actions, nullptr, const_cast<char**>(argv), environ) != 0) std::abort();
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  wire_ = ends[0];
  reader_ = std::thread([this] {
    while (auto frame = receive_frame(wire_)) host_.post(unpack_event(std::move(*frame)));
  });
}

ProcessBackend::~ProcessBackend() {
  if (pid_ < 0) return;
  thaw();
  send({});
  reap();
}

void ProcessBackend::open(const SessionRequest& request) noexcept { send({Kind::open, request, 0, {}, {}, {}, false}); }
void ProcessBackend::renew(RequestId request) noexcept { send({Kind::renew, {}, request, {}, {}, {}, false}); }
void ProcessBackend::campaign(const std::string& group) noexcept {
  send({Kind::campaign, {}, 0, group, {}, {}, false});
}
void ProcessBackend::resign(const std::string& group) noexcept { send({Kind::resign, {}, 0, group, {}, {}, false}); }
void ProcessBackend::write(RequestId request, std::vector<RegisterWrite> batch) noexcept {
  send({Kind::write, {}, request, {}, std::move(batch), {}, false});
}
void ProcessBackend::read(RequestId request, std::vector<std::string> names) noexcept {
  send({Kind::read, {}, request, {}, {}, std::move(names), false});
}
void ProcessBackend::list(RequestId request, std::string prefix) noexcept {
  send({Kind::list, {}, request, std::move(prefix), {}, {}, false});
}
void ProcessBackend::close(bool keep) noexcept { send({Kind::close, {}, 0, {}, {}, {}, keep}); }

void ProcessBackend::send(const CandidateCall& call) {
  Packer packer;
  packer(call);
  const auto size = static_cast<std::uint32_t>(packer.bytes.size());
  std::string frame(reinterpret_cast<const char*>(&size), sizeof size);
  frame += packer.bytes;
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t n = ::send(wire_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

void ProcessBackend::crash() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  reap();
}

void ProcessBackend::freeze() { ::kill(pid_, SIGSTOP); }
void ProcessBackend::thaw() { ::kill(pid_, SIGCONT); }

void ProcessBackend::reap() {
  ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  reader_.join();
  ::close(std::exchange(wire_, -1));
}

}  // namespace ballot::conformance
