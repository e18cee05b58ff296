// RedisServer: a real redis-server in a folder of its own, on a port of its own, which keeps what it acknowledges. Ends
// with the object, and with its process.
//
//   RedisServer server;      server.address();      server.restart();      // SIGKILL, and another one of that folder
//   server.ask({"SET", "key", "value"});
#pragma once

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace redis {

class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> more = {}) : more_(std::move(more)) {
    std::string name = (std::filesystem::temp_directory_path() / "redis-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the server");
    folder_ = name;
    for (int tries = 0; tries < 5; ++tries) {  // somebody else may take the port first
      port_ = free_port();
      if (start()) return;
    }
    throw std::runtime_error("redis-server does not start: is it installed?");
  }
  ~RedisServer() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void restart() {
    kill();
    if (!start()) throw std::runtime_error("redis-server does not start again");
  }

  /// False: nobody answers, or it is an error.
  bool ask(const std::vector<std::string>& words) const {
    redisContext* const context = redisConnect("127.0.0.1", port_);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    auto* const reply =
        context == nullptr || context->err != 0
            ? nullptr
            : static_cast<redisReply*>(redisCommandArgv(context, static_cast<int>(argv.size()), argv.data(), nullptr));
    const bool done = reply != nullptr && reply->type != REDIS_REPLY_ERROR;
    if (reply != nullptr) freeReplyObject(reply);
    if (context != nullptr) redisFree(context);
    return done;
  }

 private:
  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(socket);
    if (!bound) throw std::runtime_error("no port for the server");
    return ntohs(address.sin_port);
  }

  /// False: it has ended before it served.
  bool start() {
    std::vector<std::string> words{"redis-server",
                                   "--port",
                                   std::to_string(port_),
                                   "--bind",
                                   "127.0.0.1",
                                   "--dir",
                                   folder_,
                                   "--logfile",
                                   "log",
                                   "--save",
                                   "",
                                   "--appendonly",
                                   "yes",
                                   "--appendfsync",
                                   "always"};
    words.insert(words.end(), more_.begin(), more_.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() == parent) ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    for (int tries = 0; tries < 1000; ++tries) {
      if (ask({"SET", "up", "1"})) return true;
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) return pid_ = -1, false;
      ::poll(nullptr, 0, 10);
    }
    return false;
  }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  const std::vector<std::string> more_;
  std::string folder_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace redis
