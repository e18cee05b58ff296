// The plugin `local`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <string>

#include "local_driver.hpp"
#include "support/machine/store_folder.hpp"
#include "support/make_backend.hpp"
#include "support/options.hpp"

namespace ballot::local {

namespace {

constexpr const char* no_hold =
    "cannot be kept by the backend local, which cannot tell an outage: remove it, or choose a networked backend";

std::string path_problem(const OptionValue& value) {
  const auto* path = std::get_if<std::string>(&value);
  if (path == nullptr) return "path must be a string: the folder of locks and registers";
  return path->empty() || path->find('\0') != std::string::npos ? "path must name a folder" : "";
}

std::vector<OptionProblem> check(const Options& options) noexcept {
  return check_options(options, {{"path", path_problem}});
}

Result<MakeDriver> prepare(Host&, const BackendSettings& settings) {
  const std::string folder = folder_of(settings, "local");
  return MakeDriver([folder](Outlet& outlet) { return std::make_unique<LocalDriver>(outlet, folder); });
}

constexpr BackendKind kind{"local", "ballot-local", check, no_hold, prepare};

}  // namespace

}  // namespace ballot::local

BALLOT_PLUGIN("local", "0.1.0", ballot::local::check, ballot::support::create<ballot::local::kind>)
