// A daemon's backend of the plugin `local` in this process, with the events that it posted.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/local_cluster.hpp"

namespace ballot::conformance {

using namespace std::chrono_literals;

class Daemon {
 public:
  Daemon(const std::filesystem::path& state, std::string node, int pid = 100)
      : node_(std::move(node)),
        pid_(pid),
        backend_(make_backend(BALLOT_LOCAL_PLUGIN, {"ns", state.string(), false, {}}, events)) {}

  /// Empty: open. Else what SessionClosed says.
  std::string open(Millis timeout = 60s, const std::string& boot_id = "boot") {
    return open({++generation_, node_, boot_id, "machine", "host", pid_, "test", "", timeout});
  }
  std::string observe() {
    SessionRequest request{++generation_, node_, "boot", "machine", "host", pid_, "test", "", 60s};
    request.observer = true;
    return open(request);
  }
  std::optional<std::uint64_t> lead(const std::string& group) {
    backend_->campaign(group);
    signal_.wait([&] { return events.leads(generation_, group).has_value() || closed(); }, 5s);
    return events.leads(generation_, group);
  }
  WriteAnswer write(const RegisterWrite& one) { return write(std::vector<RegisterWrite>{one}).at(0); }
  std::vector<WriteAnswer> write(std::vector<RegisterWrite> batch) {
    backend_->write(++request_, std::move(batch));
    signal_.wait([&] { return answer<backend::Wrote>() || closed(); }, 20s);
    const auto wrote = answer<backend::Wrote>();
    return wrote ? wrote->answers : std::vector<WriteAnswer>(1);
  }
  backend::Renewed renew() {
    backend_->renew(++request_);
    signal_.wait([&] { return answer<backend::Renewed>() || closed(); }, 20s);
    return answer<backend::Renewed>().value_or(backend::Renewed{});
  }
  void close(bool keep) {
    backend_->close(keep);
    signal_.wait([&] { return closed().has_value(); }, 10s);
  }

  template <class Answer>
  std::optional<Answer> answer() {
    return events.answer<Answer>(generation_, request_);
  }
  bool opened() const { return !events.all<backend::SessionOpened>(generation_).empty(); }
  std::optional<backend::SessionClosed> closed() const {
    const auto all = events.all<backend::SessionClosed>(generation_);
    return all.empty() ? std::nullopt : std::optional(all[0]);
  }
  std::optional<backend::Elected> elected() const {
    const auto all = events.all<backend::Elected>(generation_);
    return all.empty() ? std::nullopt : std::optional(all.back());
  }
  bool wait(const std::function<bool()>& done, Millis limit) { return signal_.wait(done, limit); }
  Backend& backend() { return *backend_; }
  std::uint64_t generation() const { return generation_; }

 private:
  Signal signal_;

 public:
  Recorder events{signal_};

 private:
  std::string open(const SessionRequest& request) {
    backend_->open(request);
    signal_.wait([&] { return opened() || closed(); }, 10s);
    return opened() ? "" : closed() ? closed()->text : "no answer";
  }

  std::string node_;
  int pid_;
  std::uint64_t generation_ = 0;
  RequestId request_ = 0;
  std::unique_ptr<Backend> backend_;
};

}  // namespace ballot::conformance
