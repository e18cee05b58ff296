// What the examples share: their settings from the command line, and errors that end them.
#pragma once

#include <ballot/runtime.hpp>

#include <cstdlib>
#include <iostream>

/// function_job STATE_DIR [PLUGIN_DIR [PROGRAM_DIR]]: the last two where the package is not installed in /usr.
inline ballot::RuntimeSettings settings_of(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " STATE_DIR [PLUGIN_DIR [PROGRAM_DIR]]\n";
    std::exit(2);
  }
  ballot::RuntimeSettings settings;
  settings.state_dir = argv[1];
  if (argc > 2) settings.plugin_dir = argv[2];
  if (argc > 3) settings.program_dir = argv[3];
  settings.log = [](ballot::Level level, std::string_view text, const ballot::LogFields&) {
    if (level >= ballot::Level::warn) std::cerr << text << '\n';
  };
  return settings;
}

template <class T>
void require(const ballot::Result<T>& done) {
  if (done) return;
  std::cerr << done.error().what << '\n';
  std::exit(1);
}
