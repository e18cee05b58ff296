// Backends for tests of what files say of them: `far`, of a network, with keys of its own for its table and for a
// group's; `near`, of one host, without any; and `broken`, which is installed and cannot be loaded.
#pragma once

#include "config/backends.hpp"

namespace ballot::config {

inline std::string text_problem(const OptionValue& value) noexcept {
  return std::holds_alternative<std::string>(value) ? "" : "must be a text";
}
inline std::string list_problem(const OptionValue& value) noexcept {
  return std::holds_alternative<std::vector<std::string>>(value) ? "" : "must be a list";
}

inline constexpr OptionKey far_keys[] = {{"servers", list_problem, OptionType::list, "hosts", OptionFlag::listed},
                                         {"auth_file", text_problem, OptionType::text, "a file"}};
inline constexpr OptionKey far_group_keys[] = {{"service", text_problem}};

inline std::vector<OptionProblem> far_conflicts(const Options& options) noexcept {
  if (!options.contains("auth_file") || options.contains("servers")) return {};
  return {{"auth_file", "auth_file is of servers: set them too"}};
}
inline std::vector<OptionProblem> far_group_conflicts(const Options& options) noexcept {
  const auto service = options.find("service");
  if (service == options.end() || service->second != OptionValue(std::string("none"))) return {};
  return {{"service", "there is no service none"}};
}
inline constexpr BackendTraits far_traits{.keys = far_keys,
                                          .group_keys = far_group_keys,
                                          .session_timeout = Millis(10'000),
                                          .conflicts = far_conflicts,
                                          .group_conflicts = far_group_conflicts,
                                          .no_hold = "is not kept by far: remove it"};

inline const PluginInfo far_plugin{plugin_abi, sizeof(PluginInfo), plugin_toolchain, "backend", "far",
                                   "1",        far_traits,         nullptr};
inline const PluginInfo near_plugin{plugin_abi, sizeof(PluginInfo),     plugin_toolchain, "backend", "near",
                                    "1",        {.reach = Reach::host}, nullptr};

inline Plugins fake_plugins() {
  return {[](const std::string& folder) {
            return folder == "/empty" ? std::vector<std::string>() : std::vector<std::string>{"broken", "far", "near"};
          },
          [](const std::string& folder, const std::string& name) -> Result<const PluginInfo*> {
            if (folder != "/empty" && name == "far") return &far_plugin;
            if (folder != "/empty" && name == "near") return &near_plugin;
            return Error{Errc::not_found, "there is no plugin '" + name + "' in " + folder};
          }};
}

}  // namespace ballot::config
