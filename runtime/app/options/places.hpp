// Where the parts of this program lie: as installed, or in the build tree, or a copy of one, that it runs from.
#pragma once

#include <functional>
#include <string>

namespace ballot::app {

/// Where a candidate that is no daemon keeps its state: a user's own folder, but for root. `variable`: getenv, or like
/// it.
std::string state_dir_of_user(unsigned uid, const std::function<const char*(const char*)>& variable);

/// The installed parts of the program at that path, PREFIX/bin/ballot: PREFIX/lib/ballot if there is such a folder,
/// else /usr/lib/ballot.
std::string library_folder(const std::string& program);

/// The build tree in whose bin/ the program at that path lies, or a copy of one: the runner is beside the program. ""
/// where it is installed.
std::string tree_of(const std::string& program);

/// plugins in the library folder, or the build tree's own.
std::string plugin_dir();

/// The folder of the pages that `help` shows where there is no man, or the build tree's own.
std::string help_folder();

/// This program's own file, also after it was replaced by a newer one.
std::string own_file();

/// ballot-runner in the library folder, or the build tree's own.
std::string runner_file();

/// ballot-ping in the library folder, or the build tree's own.
std::string ping_file();

/// /usr/sbin/sendmail; where failpoints are compiled in, what BALLOT_TEST_SENDMAIL names.
std::string sendmail_file();

}  // namespace ballot::app
