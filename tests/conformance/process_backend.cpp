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
                               const std::string& state_dir, Host& host, const std::string& options)
    : host_(host) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
  // posix_spawn's dup2 of a descriptor onto itself clears its CLOEXEC; any other stays closed on exec.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 3);
  const char* argv[] = {program.c_str(),   plugin.c_str(),  name_space.c_str(),
                        state_dir.c_str(), options.c_str(), nullptr};
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

void ProcessBackend::open(const SessionRequest& request) noexcept { send({.kind = Kind::open, .session = request}); }
void ProcessBackend::renew(RequestId request) noexcept { send({.kind = Kind::renew, .request = request}); }
void ProcessBackend::campaign(const std::string& group) noexcept { send({.kind = Kind::campaign, .text = group}); }
void ProcessBackend::resign(const std::string& group) noexcept { send({.kind = Kind::resign, .text = group}); }
void ProcessBackend::write(RequestId request, std::vector<RegisterWrite> batch) noexcept {
  send({.kind = Kind::write, .request = request, .batch = std::move(batch)});
}
void ProcessBackend::read(RequestId request, std::vector<std::string> names) noexcept {
  send({.kind = Kind::read, .request = request, .names = std::move(names)});
}
void ProcessBackend::create(RequestId request, std::vector<Record> records) noexcept {
  send({.kind = Kind::create, .request = request, .records = std::move(records)});
}
void ProcessBackend::remove(RequestId request, std::vector<std::string> names) noexcept {
  send({.kind = Kind::remove, .request = request, .names = std::move(names)});
}
void ProcessBackend::watch(const std::string& prefix) noexcept { send({.kind = Kind::watch, .text = prefix}); }
void ProcessBackend::observe(RequestId request, const std::string& group) noexcept {
  send({.kind = Kind::observe, .request = request, .text = group});
}
void ProcessBackend::evict(RequestId request, const std::string& group) noexcept {
  send({.kind = Kind::evict, .request = request, .text = group});
}
void ProcessBackend::list(RequestId request, std::string prefix) noexcept {
  send({.kind = Kind::list, .request = request, .text = std::move(prefix)});
}
void ProcessBackend::close(bool keep) noexcept { send({.kind = Kind::close, .keep = keep}); }

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
