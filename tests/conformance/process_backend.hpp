// ProcessBackend: a Backend whose real one lives in a process of its own, which can be killed and stopped. Any plugin.
#pragma once

#include <sys/types.h>

#include <string>
#include <thread>

#include "ballot/backend.hpp"
#include "conformance/candidate_wire.hpp"

namespace ballot::conformance {

class ProcessBackend final : public Backend {
 public:
  /// `program`: conformance_candidate. `options`: of the plugin's table, lines of "KEY=VALUE", or "". Aborts where it
  /// cannot be started.
  ProcessBackend(const std::string& program, const std::string& plugin, const std::string& name_space,
                 const std::string& state_dir, Host& host, const std::string& options = {});
  /// Lets it end in its own way, and waits for it.
  ~ProcessBackend() override;
  ProcessBackend(const ProcessBackend&) = delete;
  ProcessBackend& operator=(const ProcessBackend&) = delete;

  void open(const SessionRequest& request) noexcept override;
  void renew(RequestId request) noexcept override;
  void campaign(const std::string& group) noexcept override;
  void resign(const std::string& group) noexcept override;
  void write(RequestId request, std::vector<RegisterWrite> batch) noexcept override;
  void read(RequestId request, std::vector<std::string> names) noexcept override;
  void create(RequestId request, std::vector<Record> records) noexcept override;
  void remove(RequestId request, std::vector<std::string> names) noexcept override;
  void watch(const std::string& prefix) noexcept override;
  void observe(RequestId request, const std::string& group) noexcept override;
  void evict(RequestId request, const std::string& group) noexcept override;
  void list(RequestId request, std::string prefix) noexcept override;
  void close(bool keep) noexcept override;

  /// SIGKILL; returns when it is gone. Nothing is posted afterwards.
  void crash();
  void freeze();
  void thaw();

 private:
  void send(const CandidateCall& call);
  void reap();

  Host& host_;
  pid_t pid_ = -1;
  int wire_ = -1;
  std::thread reader_;
};

}  // namespace ballot::conformance
