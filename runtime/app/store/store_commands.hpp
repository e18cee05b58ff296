// What the subcommands of `ballot store` do: export, import, check and reopen, each in a file of its own. Data goes to
// std::cout, what goes on meanwhile to stderr. docs/commands.md says what each does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/exit.hpp"
#include "app/store/namespace_session.hpp"
#include "app/store/store_copy.hpp"
#include "ballot/error.hpp"
#include "config/config.hpp"
#include "core/record/move_marks.hpp"

namespace ballot::app {

struct ExportRequest {
  std::string file;
  std::string to;      // where the namespace goes, for people; "": nobody says
  Millis patience{0};  // for others to leave the groups
};

struct ImportRequest {
  std::string file;
  std::optional<config::Config> from;  // the old store, which is asked; none: it is gone, as somebody says
  Millis patience{0};
};

struct ReopenRequest {
  bool import_undone = false;  // the namespace with the copy is gone, as somebody says
  Millis patience{0};
  std::function<Result<void>()> confirm;  // asks whether the copy was imported all the same
};

Exit export_store(const config::Config& config, const ExportRequest& request);
Exit import_store(const config::Config& config, const ImportRequest& request);
Exit check_store(const config::Config& config, const std::string& file);
/// Gives a move up: the namespace is used again.
Exit reopen_store(const config::Config& config, const ReopenRequest& request);

// What they share.

/// Prints a sentence on stderr, after the command's name.
void say(std::string_view command, const std::string& text);
/// The copy that the file has, with its digest. Errors name the file.
struct ReadCopy {
  StoreCopy copy;
  std::string digest;
};
Result<ReadCopy> read_store_copy(const std::string& file);
/// The marks of a namespace that are there. Errors: unavailable, and where one cannot be read.
struct Marks {
  std::optional<core::MoveMark> exporting, moved, imported, importing;
  std::uint64_t epoch_base = 0;
  bool has_identity = false;
};
Result<Marks> read_marks(NamespaceSession& session);
Result<Marks> marks_in(const std::vector<Register>& records);
/// The same, of a session that leaves nothing: where there is no store yet, none is made.
Result<std::vector<Register>> look_at_marks(const config::Config& config);
/// "backend etcd, namespace production (by root on db1 at ...)", of a mark.
std::string imported_into(const core::MoveMark& mark);
/// Says once which groups are waited for, and which runs end with their terms.
std::function<void(const std::vector<std::string>&)> waits_for_groups(std::string_view command,
                                                                      const std::vector<StoredEntry>& entries);
/// Says until when runs of dead terms are waited for, and which ones those may be.
std::function<void(Millis)> waits_for_runs(std::string_view command, const std::vector<StoredEntry>& entries);
/// Leads all groups of what is stored, and of all elections, until there are no more. `entries`: what is stored then.
Result<std::vector<StoredEntry>> lead_all(NamespaceSession& session, std::string_view command, Millis patience);
/// While it lives, the first SIGINT or SIGTERM prints `text` on stderr before it ends this process. One at a time.
class LastWords {
 public:
  LastWords(std::string_view command, const std::string& text);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  const std::string text_;
};
/// Prints why there is no session in the namespace.
Exit fail_to_use(std::string_view command, const Error& error);
/// "root on db1".
std::string caller_name();
/// "backend local, namespace default".
std::string name_of(const config::Config& config);

}  // namespace ballot::app
