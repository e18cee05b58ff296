/// \file
/// The handshake of a plugin: one C symbol, `ballot_plugin_info`, that is checked before anything is called.
///
/// \code
///   constexpr BackendTraits traits{.keys = keys, .reach = Reach::host};
///   BALLOT_PLUGIN("local", "0.1.0", traits, create)     // once, at namespace scope of one file of the plugin
/// \endcode
///
/// A plugin is of one kind: `backend` (ballot/backend.hpp), or `history` (ballot/history.hpp), which has a
/// BALLOT_HISTORY_PLUGIN and, of the traits, its keys and conflicts.
///
/// Built with the CMake function ballot_plugin(). A plugin is loaded with RTLD_NOW | RTLD_LOCAL by absolute path and is
/// never unloaded. No exception crosses the boundary.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ballot/backend.hpp"
#include "ballot/error.hpp"
#include "ballot/history.hpp"
#include "ballot/options.hpp"

namespace ballot {

/// Grows by one with any change of the headers that a plugin includes.
inline constexpr std::uint32_t plugin_abi = 15;

/// \cond
#define BALLOT_TEXT_OF_(x) #x
#define BALLOT_TEXT_(x) BALLOT_TEXT_OF_(x)
/// \endcond

/// What both sides must have been built with: their objects are handed over.
#ifdef __clang__
inline constexpr const char* plugin_toolchain = "clang" BALLOT_TEXT_(__clang_major__) " libstdc++ cxx20";
#else
inline constexpr const char* plugin_toolchain = "gcc" BALLOT_TEXT_(__GNUC__) " libstdc++ cxx20";
#endif

/// What becomes of a store that asks nobody who he is, so that whoever reaches it may write what this daemon reads.
enum class OpenStore {
  accept,  ///< nothing
  warn,    ///< it is said in the log
  refuse   ///< it is not used
};

/// What a backend is made with.
struct BackendSettings {
  std::string name_space;  ///< registers and elections of different namespaces share nothing
  std::string state_dir;   ///< of the daemon: where relative and default paths lie
  bool hold = false;       ///< on_outage = "hold": backend::Outage is posted; a backend that cannot refuses to be made
  Options options;         ///< its table [NAME], of which check_table() has found nothing wrong
  OpenStore open_store = OpenStore::accept;  ///< refuse: create() fails with Errc::refused, and says what to do
};

/// Where the nodes are that share a namespace of the backend.
enum class Reach {
  host,    ///< all on one: they need not share out their groups, nor fear to join somebody else's
  network  ///< anywhere
};

/// What ballot knows of a backend, or of a history, without making one.
struct BackendTraits {
  std::span<const OptionKey> keys = {};        ///< of its table [NAME]
  std::span<const OptionKey> group_keys = {};  ///< of its table in a group's, [group.GROUP.NAME]
  Millis session_timeout{5000};                ///< asked for where nobody says
  Reach reach = Reach::network;                ///< of its store
  /// Keys that do not go together, of tables in which each is right by itself. Null: all of them do.
  ///@{
  std::vector<OptionProblem> (*conflicts)(const Options& table) noexcept = nullptr;
  std::vector<OptionProblem> (*group_conflicts)(const Options& table) noexcept = nullptr;
  ///@}
  const char* no_hold = nullptr;  ///< why on_outage = "hold" is refused, and what to do; null: it is kept
};

/// Every problem of a backend's table, and of its table in a group's.
///@{
inline std::vector<OptionProblem> check_table(const Options& table, const BackendTraits& traits) {
  auto problems = check_options(table, traits.keys);
  return problems.empty() && traits.conflicts ? traits.conflicts(table) : problems;
}
inline std::vector<OptionProblem> check_group_table(const Options& table, const BackendTraits& traits) {
  auto problems = check_options(table, traits.group_keys);
  return problems.empty() && traits.group_conflicts ? traits.group_conflicts(table) : problems;
}

///@}

/// What a plugin says of itself.
struct PluginInfo {
  std::uint32_t abi;      ///< plugin_abi
  std::uint32_t size;     ///< of this struct
  const char* toolchain;  ///< plugin_toolchain
  const char* kind;       ///< "backend" or "history"
  const char* name;       ///< of the plugin, its file and its table
  const char* version;    ///< of the plugin
  BackendTraits traits;   ///< of its backend, or its history
  /// Of a backend, else null. Null and `error` set where it cannot be made. The backend is destroyed before `host`.
  Backend* (*create)(Host& host, const BackendSettings&, Error& error) noexcept;
  /// Of a history, else null. Null and `error` set where it cannot be made; asks nobody.
  History* (*create_history)(const HistorySettings&, Error& error) noexcept = nullptr;
};

inline constexpr const char* backend_kind = "backend";  ///< PluginInfo::kind
inline constexpr const char* history_kind = "history";  ///< PluginInfo::kind

}  // namespace ballot

/// \cond
#define BALLOT_PLUGIN_INFO_(kind, name, version, traits, create, create_history)                   \
  extern "C" __attribute__((visibility("default"))) const ::ballot::PluginInfo ballot_plugin_info; \
  const ::ballot::PluginInfo ballot_plugin_info{::ballot::plugin_abi,                              \
                                                sizeof(::ballot::PluginInfo),                      \
                                                ::ballot::plugin_toolchain,                        \
                                                kind,                                              \
                                                name,                                              \
                                                version,                                           \
                                                traits,                                            \
                                                create,                                            \
                                                create_history};
/// \endcond

/// Defines the symbol: see above.
///@{
#define BALLOT_PLUGIN(name, version, traits, create) \
  BALLOT_PLUGIN_INFO_(::ballot::backend_kind, name, version, traits, create, nullptr)
#define BALLOT_HISTORY_PLUGIN(name, version, traits, create) \
  BALLOT_PLUGIN_INFO_(::ballot::history_kind, name, version, traits, nullptr, create)
///@}
