#define BOOST_DLL_USE_STD_FS  // else it asks for the compiled part of Boost.Filesystem
#include "io/plugin_loader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/dll/shared_library.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "io/shared_object.hpp"

namespace ballot {

namespace fs = std::filesystem;

namespace {

constexpr const char* symbol = "ballot_plugin_info";

std::string quoted(const char* text) { return text == nullptr ? "nothing" : "'" + std::string(text) + "'"; }

bool same(const char* a, const char* b) { return a != nullptr && std::strcmp(a, b) == 0; }

bool is_trusted(uid_t owner) { return owner == 0 || owner == ::geteuid(); }

Error refusal(const fs::path& path, const std::string& why) { return {Errc::refused, path.string() + " " + why}; }

/// Nobody else may change what `path` is, or what lies in it: owner and mode of it and of every folder above.
std::optional<Error> check_folder(const fs::path& folder) {
  for (fs::path path = folder;; path = path.parent_path()) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return Error{Errc::not_found, "cannot stat " + path.string()};
    if (!is_trusted(found.st_uid))
      return refusal(path, "belongs to another user than root and this daemon's: plugins below it are not loaded");
    const bool writable = (found.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool sticky = (found.st_mode & S_ISVTX) != 0 && path != folder;  // what lies in it is ours
    if (writable && !sticky)
      return refusal(path, "may be written to by others, so plugins below it are not loaded: chmod go-w it");
    if (path == path.root_path()) return std::nullopt;
  }
}

std::optional<Error> check_file(const fs::path& file) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0) return Error{Errc::not_found, "cannot stat " + file.string()};
  if (!S_ISREG(found.st_mode)) return refusal(file, "is not a regular file, so it is not loaded");
  if (!is_trusted(found.st_uid))
    return refusal(file, "belongs to another user than root and this daemon's, so it is not loaded: chown it");
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return refusal(file, "may be written to by others, so it is not loaded: chmod go-w it");
  return std::nullopt;
}

Result<fs::path> resolve(const fs::path& folder) {
  std::error_code failed;
  fs::path resolved = fs::canonical(folder, failed);
  if (failed || !fs::is_directory(resolved, failed))
    return Error{Errc::not_found, "there is no plugin folder " + folder.string() + ": set plugin_dir"};
  if (auto refused = check_folder(resolved)) return *refused;
  return resolved;
}

}  // namespace

std::vector<std::string> plugin_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().extension() == ".so") names.push_back(entry->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

Error missing(const fs::path& folder, const std::string& name) {
  std::string there;
  for (const std::string& one : plugin_names(folder)) there += (there.empty() ? "" : ", ") + one;
  return {Errc::not_found, "there is no plugin '" + name + "' in " + folder.string() +
                               " (there: " + (there.empty() ? "none" : there) + "): install the package ballot-" +
                               name + ", or set plugin_dir"};
}

/// Then its handle is never given back: not by its destructor, as there is none.
void keep_forever(boost::dll::shared_library library) {
  alignas(boost::dll::shared_library) std::byte never_destroyed[sizeof library];
  new (never_destroyed) boost::dll::shared_library(std::move(library));
}

Result<const PluginInfo*> load(const fs::path& file) {
  try {
    boost::dll::shared_library library(file, boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
    const PluginInfo* info = library.has(symbol) ? &library.get<const PluginInfo>(symbol) : nullptr;
    keep_forever(std::move(library));
    if (info != nullptr) return info;
    return refusal(file, std::string("is not a plugin of ballot: it has no symbol ") + symbol);
  } catch (const std::exception& failure) {
    return Error{Errc::corrupt, file.string() + " cannot be loaded: " + failure.what()};
  }
}

/// In this order: what follows a difference may not mean what it seems to.
std::optional<Error> compare(const PluginInfo& info, const fs::path& file, const std::string& name) {
  const std::string again = ": install the plugin of this version of ballot";
  if (info.abi != plugin_abi)
    return refusal(
        file, "has plugin ABI " + std::to_string(info.abi) + ", this ballot has " + std::to_string(plugin_abi) + again);
  if (info.size != sizeof(PluginInfo))
    return refusal(file, "has a handshake of " + std::to_string(info.size) + " bytes, this ballot's has " +
                             std::to_string(sizeof(PluginInfo)) + again);
  if (!same(info.toolchain, plugin_toolchain))
    return refusal(
        file, "was built with " + quoted(info.toolchain) + ", this ballot with " + quoted(plugin_toolchain) + again);
  const bool is_backend = same(info.kind, backend_kind), is_history = same(info.kind, history_kind);
  if (!is_backend && !is_history)
    return refusal(file, "is of kind " + quoted(info.kind) + ", neither a backend nor a history");
  if (!same(info.name, name.c_str()))
    return refusal(file, "is the plugin " + quoted(info.name) + ": its file must be named after it");
  if (info.version == nullptr || (is_backend ? info.create == nullptr : info.create_history == nullptr))
    return refusal(file, "has an empty handshake: version or create is missing" + again);
  return std::nullopt;
}

Result<const PluginInfo*> load_from(const fs::path& folder, const std::string& name) {
  const fs::path file = folder / (name + ".so");
  struct stat found {};
  if (::lstat(file.c_str(), &found) != 0) return missing(folder, name);
  if (auto refused = check_file(file)) return *refused;
  if (auto whole = check_shared_object(file); !whole) return whole.error();
  auto info = load(file);
  if (!info) return info;
  if (auto refused = compare(**info, file, name)) return *refused;
  return info;
}

}  // namespace

Result<const PluginInfo*> load_plugin(const fs::path& folder, const std::string& name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty() || name.find_first_not_of(allowed) != std::string::npos)
    return Error{Errc::invalid, "'" + name + "' is not a valid plugin name: it has only a-z, 0-9 and _"};
  auto resolved = resolve(folder);
  if (!resolved) return resolved.error();
  return load_from(*resolved, name);
}

Result<const PluginInfo*> load_plugin_of(const char* kind, const fs::path& folder, const std::string& name) {
  const auto plugin = load_plugin(folder, name);
  if (!plugin || same((*plugin)->kind, kind)) return plugin;
  return Error{Errc::refused, "the plugin '" + name + "' is a " + (*plugin)->kind + ", and not a " + kind};
}

Result<std::vector<FoundPlugin>> find_plugins(const fs::path& folder) {
  auto resolved = resolve(folder);
  if (!resolved) return resolved.error();
  std::vector<FoundPlugin> plugins;
  for (const std::string& name : plugin_names(*resolved)) {
    const auto info = load_plugin(*resolved, name);
    plugins.push_back(info ? FoundPlugin{name, (*info)->version, {}} : FoundPlugin{name, {}, info.error().what});
  }
  return plugins;
}

}  // namespace ballot
