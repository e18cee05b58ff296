// One file, many plugins: which handshake it shows is decided by definitions (plugin_loader.cmake).
#include "ballot/plugin.hpp"

#ifndef ODD_ABI
#define ODD_ABI ballot::plugin_abi
#endif
#ifndef ODD_SIZE
#define ODD_SIZE sizeof(ballot::PluginInfo)
#endif
#ifndef ODD_TOOLCHAIN
#define ODD_TOOLCHAIN ballot::plugin_toolchain
#endif
#ifndef ODD_KIND
#define ODD_KIND "backend"
#endif
#ifndef ODD_OTHER_NAME
#define ODD_OTHER_NAME ODD_NAME
#endif
#ifndef ODD_CREATE
#define ODD_CREATE create
#endif

#ifdef ODD_UNDEFINED_SYMBOL
void defined_nowhere();
#endif

#ifndef ODD_NO_SYMBOL
namespace {

[[maybe_unused]] ballot::Backend* create(ballot::Host&, const ballot::BackendSettings&, ballot::Error&) noexcept {
#ifdef ODD_UNDEFINED_SYMBOL
  defined_nowhere();
#endif
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const ballot::PluginInfo ballot_plugin_info;
const ballot::PluginInfo ballot_plugin_info{ODD_ABI, ODD_SIZE, ODD_TOOLCHAIN, ODD_KIND, ODD_OTHER_NAME,
                                            "1.2.3", {},       ODD_CREATE};
#endif
