// The plugin `local`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <memory>
#include <string>

#include "local_driver.hpp"
#include "opening.hpp"
#include "store.hpp"
#include "support/machine/store_folder.hpp"
#include "support/make_backend.hpp"

namespace ballot::local {
namespace {

constexpr const char* no_hold =
    "cannot be kept by the backend local, which cannot detect an outage: remove it, or choose a networked backend";

std::string path_problem(const OptionValue& value) noexcept {
  const auto* path = std::get_if<std::string>(&value);
  if (path == nullptr) return "path must be a string: the folder of locks and registers";
  return path->empty() || path->find('\0') != std::string::npos ? "path must name a folder" : "";
}

constexpr OptionKey keys[] = {{"path", path_problem, OptionType::text, "the folder of locks and registers"}};

Result<MakeDriver> prepare(Host&, const BackendSettings& settings) {
  const std::string folder = folder_of(settings, "local");
  if (auto trusted = check_trust(folder); !trusted) return trusted.error();
  return MakeDriver([folder](Outlet& outlet) { return std::make_unique<LocalDriver>(outlet, folder); });
}

constexpr BackendTraits traits{
    .keys = keys, .session_timeout = default_timeout, .reach = Reach::host, .no_hold = no_hold};
constexpr BackendKind kind{"local", "ballot-local", traits, prepare};

}  // namespace

}  // namespace ballot::local

BALLOT_PLUGIN("local", "0.1.0", ballot::local::traits, ballot::support::create<ballot::local::kind>)
