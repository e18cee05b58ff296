// ZookeeperClient: an operator at the store: reads it, and does by hand what people do by hand. Blocks.
#pragma once

#ifndef THREADED
#define THREADED  // the library's blocking functions
#endif
#include <zookeeper/zookeeper.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ballot::testing {

/// The session that a handle file is of.
inline clientid_t session_in(const std::string& file) {
  std::ifstream in(file);
  clientid_t session{};
  for (std::string key, value; in >> key; std::getline(in, value)) {
    if (key == "session") in >> value, session.client_id = static_cast<std::int64_t>(std::stoull(value, nullptr, 16));
    if (key != "password") continue;
    in >> value;
    for (std::size_t i = 0; i < sizeof session.passwd; ++i)
      session.passwd[i] = static_cast<char>(std::stoi(value.substr(2 * i, 2), nullptr, 16));
  }
  if (session.client_id == 0) throw std::runtime_error("no session in " + file);
  return session;
}

class ZookeeperClient {
 public:
  /// `resume`: of a session that is somebody else's. Throws std::runtime_error where nobody serves.
  explicit ZookeeperClient(const std::string& servers, const clientid_t* resume = nullptr) {
    ::zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    handle_ = ::zookeeper_init(servers.c_str(), on_event, 10'000, resume, &state_, ZOO_NO_LOG_CLIENTENV);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (state_ != ZOO_CONNECTED_STATE && state_ != ZOO_EXPIRED_SESSION_STATE) {
      if (std::chrono::steady_clock::now() > end) throw std::runtime_error("nobody serves at " + servers);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // its thread wakes nobody
    }
  }
  /// Ends the session.
  ~ZookeeperClient() { ::zookeeper_close(handle_); }
  ZookeeperClient(const ZookeeperClient&) = delete;
  ZookeeperClient& operator=(const ZookeeperClient&) = delete;

  /// As USER:PASSWORD.
  int authenticate(const std::string& user) {
    std::atomic<int> result{1};
    const auto on_result = [](int rc, const void* to) {
      const_cast<std::atomic<int>*>(static_cast<const std::atomic<int>*>(to))->store(rc);
    };
    ::zoo_add_auth(handle_, "digest", user.data(), static_cast<int>(user.size()), on_result, &result);
    while (result == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return result;
  }

  std::vector<std::string> children(const std::string& path) {
    String_vector found{};
    std::vector<std::string> names;
    if (::zoo_get_children(handle_, path.c_str(), 0, &found) != ZOK) return names;
    names.assign(found.data, found.data + found.count);
    ::deallocate_String_vector(&found);
    return names;
  }
  /// The code of a read.
  int get(const std::string& path, std::string* text = nullptr) {
    std::string bytes(1 << 16, '\0');
    int size = static_cast<int>(bytes.size());
    const int rc = ::zoo_get(handle_, path.c_str(), 0, bytes.data(), &size, nullptr);
    if (rc == ZOK && text != nullptr) *text = bytes.substr(0, static_cast<std::size_t>(size > 0 ? size : 0));
    return rc;
  }
  int create(const std::string& path, int mode = ZOO_PERSISTENT, const std::string& text = "") {
    return ::zoo_create(handle_, path.c_str(), text.data(), static_cast<int>(text.size()), &ZOO_OPEN_ACL_UNSAFE, mode,
                        nullptr, 0);
  }
  int remove(const std::string& path) { return ::zoo_delete(handle_, path.c_str(), -1); }
  void remove_all(const std::string& path) {
    for (const std::string& name : children(path)) remove_all(path + "/" + name);
    remove(path);
  }

 private:
  static void on_event(zhandle_t*, int type, int state, const char*, void* to) {
    if (type == ZOO_SESSION_EVENT) static_cast<std::atomic<int>*>(to)->store(state);
  }

  std::atomic<int> state_{0};
  zhandle_t* handle_;
};

}  // namespace ballot::testing
