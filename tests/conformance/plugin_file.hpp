// Makes backends of a plugin's shared object, without the runtime: a test of a plugin needs nothing but its file.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "ballot/plugin.hpp"
#include "conformance/recorder.hpp"

namespace ballot::conformance {

/// Throws std::runtime_error. The plugin stays loaded.
inline const PluginInfo& plugin_info(const std::string& file) {
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = handle == nullptr ? nullptr : ::dlsym(handle, "ballot_plugin_info");
  if (symbol == nullptr) throw std::runtime_error(::dlerror());
  return *static_cast<const PluginInfo*>(symbol);
}

/// Throws std::runtime_error.
inline std::unique_ptr<Backend> make_backend(const std::string& file, const BackendSettings& settings, Host& host) {
  Error error;
  std::unique_ptr<Backend> backend(plugin_info(file).create(host, settings, error));
  if (!backend) throw std::runtime_error(error.what);
  return backend;
}

/// Why no backend is made with BackendSettings::hold; "": one is made.
inline std::string refusal_to_hold(const std::string& file, BackendSettings settings) {
  settings.hold = true;
  Signal signal;
  Recorder host(signal);
  Error error;
  const std::unique_ptr<Backend> backend(plugin_info(file).create(host, settings, error));
  return backend ? "" : error.what;
}

}  // namespace ballot::conformance
