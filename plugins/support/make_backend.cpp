#include "support/make_backend.hpp"

#include <exception>

#include "support/options.hpp"
#include "support/threaded_backend.hpp"

namespace ballot::support {

namespace {

Result<void> check(const BackendKind& kind, const BackendSettings& settings) {
  if (const auto problems = check_table(settings.options, kind.traits); !problems.empty())
    return Error{Errc::invalid, "[" + std::string(kind.name) + "] " + problems.front().text};
  if (!is_path_part(settings.name_space))
    return Error{Errc::invalid, "the namespace '" + settings.name_space +
                                    "' cannot be a part of a path: use [A-Za-z0-9][A-Za-z0-9._-]*"};
  if (settings.hold && kind.traits.no_hold != nullptr)
    return Error{Errc::refused, "on_outage = \"hold\" " + std::string(kind.traits.no_hold)};
  return {};
}

}  // namespace

Result<void> check_open(Host& host, OpenStore open, const std::string& store, const std::string& what) {
  const std::string text = "the " + store + " is open: whoever reaches it may trigger, kill and pause jobs here. Set " +
                           what + ", or say that this is wanted with [coordination] allow_open_store = true";
  if (open == OpenStore::refuse) return Error{Errc::refused, text};
  if (open == OpenStore::warn) host.log(Level::warn, text);
  return {};
}

Backend* make_backend(const BackendKind& kind, Host& host, const BackendSettings& settings, Error& error) noexcept {
  try {
    if (const auto checked = check(kind, settings); !checked) return error = checked.error(), nullptr;
    const auto driver = kind.prepare(host, settings);
    if (!driver) return error = driver.error(), nullptr;
    return new ThreadedBackend(host, kind.thread, *driver);
  } catch (const std::exception& failure) {
    error = {Errc::io, "the backend " + std::string(kind.name) + " cannot start: " + failure.what()};
    return nullptr;
  }
}

}  // namespace ballot::support
