// The plugin `local`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <exception>
#include <memory>
#include <string>

#include "folder.hpp"
#include "local_driver.hpp"
#include "support/options.hpp"
#include "support/threaded_backend.hpp"

namespace {

std::string path_problem(const ballot::OptionValue& value) {
  const auto* path = std::get_if<std::string>(&value);
  if (path == nullptr) return "path must be a string: the folder of locks and registers";
  return path->empty() || path->find('\0') != std::string::npos ? "path must name a folder" : "";
}

std::vector<ballot::OptionProblem> check(const ballot::Options& options) noexcept {
  return ballot::support::check_options(options, {{"path", path_problem}});
}

ballot::Backend* create(ballot::Host& host, const ballot::BackendSettings& settings, ballot::Error& error) noexcept {
  try {
    if (const auto problems = check(settings.options); !problems.empty()) {
      error = {ballot::Errc::invalid, "[local] " + problems.front().text};
      return nullptr;
    }
    if (!ballot::support::is_path_part(settings.name_space)) {
      error = {ballot::Errc::invalid,
               "the namespace '" + settings.name_space + "' cannot be a folder's name: use [A-Za-z0-9][A-Za-z0-9._-]*"};
      return nullptr;
    }
    if (settings.hold) {
      error = {ballot::Errc::refused,
               "on_outage = \"hold\" cannot be kept by the backend local, which cannot tell an outage: remove it, or "
               "choose a networked backend"};
      return nullptr;
    }
    const std::string folder = ballot::local::folder_of(settings);
    return new ballot::support::ThreadedBackend(host, "ballot-local", [folder](ballot::support::Outlet& outlet) {
      return std::make_unique<ballot::local::LocalDriver>(outlet, folder);
    });
  } catch (const std::exception& failure) {
    error = {ballot::Errc::io, std::string("the backend local cannot start: ") + failure.what()};
    return nullptr;
  }
}

}  // namespace

BALLOT_PLUGIN("local", "0.1.0", check, create)
