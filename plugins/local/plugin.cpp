// The plugin `local`: what ballot.toml may say, and how the backend is made.
#include "ballot/plugin.hpp"

#include <exception>
#include <string>

#include "folder.hpp"
#include "local_backend.hpp"

namespace {

using ballot::Options;

std::vector<ballot::OptionProblem> check(const Options& options) noexcept {
  std::vector<ballot::OptionProblem> problems;
  for (const auto& [key, value] : options) {
    const auto* path = std::get_if<std::string>(&value);
    if (key != "path")
      problems.push_back({key, "unknown key '" + key + "'; allowed: path"});
    else if (path == nullptr)
      problems.push_back({key, "path must be a string: the folder of locks and registers"});
    else if (path->empty() || path->find('\0') != std::string::npos)
      problems.push_back({key, "path must name a folder"});
  }
  return problems;
}

bool is_folder_name(const std::string& name) {
  constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return !name.empty() && name.size() <= 64 && std::string(letters).find(name[0]) != std::string::npos &&
         name.find_first_not_of(std::string(letters) + "._-") == std::string::npos;
}

ballot::Backend* create(ballot::Host& host, const ballot::BackendSettings& settings, ballot::Error& error) noexcept {
  try {
    if (const auto problems = check(settings.options); !problems.empty()) {
      error = {ballot::Errc::invalid, "[local] " + problems.front().text};
      return nullptr;
    }
    if (!is_folder_name(settings.name_space)) {
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
    return new ballot::local::LocalBackend(host, ballot::local::folder_of(settings));
  } catch (const std::exception& failure) {
    error = {ballot::Errc::io, std::string("the backend local cannot start: ") + failure.what()};
    return nullptr;
  }
}

}  // namespace

BALLOT_PLUGIN("local", "0.1.0", check, create)
