// ballot store check FILE: whether a copy and the namespace of the configured store hold the same.
#include <iostream>
#include <iterator>
#include <utility>

#include "app/client/ledger_access.hpp"
#include "app/client/observer.hpp"
#include "app/print/escape.hpp"
#include "app/print/format.hpp"
#include "app/store/namespace_copy.hpp"
#include "app/store/store_commands.hpp"

namespace ballot::app {
namespace {

constexpr std::string_view check_command = "store check";
constexpr int most_reads = 4;

Result<std::vector<StoredEntry>> read_entries(const config::Config& config) {
  const auto observer = Observer::open(config);
  if (!observer) return observer.error();
  std::vector<Register> all;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    auto some = (*observer)->list(std::string(1, letter) + "/");
    if (!some) return some.error();
    std::move(some->begin(), some->end(), std::back_inserter(all));
  }
  return entries_of(std::move(all));
}

void show_names(const char* what, const std::vector<std::string>& names) {
  for (const std::string& name : names) std::cout << what << ' ' << escaped(name, Escape::plain) << '\n';
}

/// A server that is busy is asked again.
Result<std::vector<StoredEntry>> read_entries_patiently(const config::Config& config) {
  for (int tries = 1;; ++tries) {
    auto entries = read_entries(config);
    if (entries || entries.error().code != Errc::unavailable || tries == most_reads) return entries;
  }
}

}  // namespace

Exit check_store(const config::Config& config, const std::string& file) {
  const auto read = read_store_copy(file);
  if (!read) return fail(check_command, read.error());
  const auto entries = read_entries_patiently(config);
  if (!entries) return fail_to_open(check_command, entries.error());
  const Differences found = differences(read->copy.entries, *entries);
  show_names("only in the file:", found.only_first);
  show_names("only in the namespace:", found.only_second);
  show_names("differs:", found.differing);
  std::cout << file << ": whole, " << summary_of(read->copy.entries) << "; " << read->copy.entries.size()
            << " registers and records, " << found.size() << " other than in " << name_of(config) << '\n';
  return found.size() == 0 ? Exit::done : Exit::failed;
}

}  // namespace ballot::app
