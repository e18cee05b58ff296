// A cluster of candidates of one plugin on one folder, in this process or each in a process of its own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "conformance/backend_under_test.hpp"
#include "conformance/plugin_file.hpp"
#include "conformance/process_backend.hpp"

namespace ballot::conformance {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ballot-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class LocalCluster : public Cluster {
 public:
  std::unique_ptr<Backend> make(const std::string&, const std::string& name_space, Host& host) override {
    return make_backend(BALLOT_LOCAL_PLUGIN, {name_space, folder_.path().string(), false, {}}, host);
  }
  std::optional<std::string> refusal_to_hold() override {
    return conformance::refusal_to_hold(BALLOT_LOCAL_PLUGIN, {"test", folder_.path().string(), false, {}});
  }
  std::set<Ability> abilities() const override { return {Ability::resume}; }
  Millis timeout() const override { return Millis(1000); }

 protected:
  TemporaryFolder folder_;
};

class LocalProcesses final : public LocalCluster {
 public:
  std::unique_ptr<Backend> make(const std::string&, const std::string& name_space, Host& host) override {
    return std::make_unique<ProcessBackend>(BALLOT_CANDIDATE, BALLOT_LOCAL_PLUGIN, name_space, folder_.path().string(),
                                            host);
  }
  std::set<Ability> abilities() const override {
    return {Ability::resume, Ability::crash, Ability::freeze, Ability::free_at_death};
  }
  Millis crash_handover() const override { return Millis(500); }
  void crash(Backend& backend) override { static_cast<ProcessBackend&>(backend).crash(); }
  void freeze(Backend& backend) override { static_cast<ProcessBackend&>(backend).freeze(); }
  void thaw(Backend& backend) override { static_cast<ProcessBackend&>(backend).thaw(); }
};

}  // namespace ballot::conformance
