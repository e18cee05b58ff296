// ballot store reopen: gives up a move whose copy was not imported, so that the namespace is used again.
#include <iostream>
#include <utility>

#include "app/client/ledger_access.hpp"
#include "app/store/namespace_copy.hpp"
#include "app/store/store_commands.hpp"
#include "base/failpoint.hpp"

namespace ballot::app {
namespace {

constexpr std::string_view reopen_command = "store reopen";

/// Whether the other namespace is in use its store alone knows; that it has the copy is known here.
Error has_copy_elsewhere(const core::MoveMark& imported) {
  return {Errc::refused, "its copy was imported into " + imported_into(imported) +
                             ": used again, both would launch the same slots, and nothing was changed. Move that "
                             "namespace back into an empty one; or remove it, and say so by --import-undone"};
}

Result<void> may_reopen(const Marks& marks, const ReopenRequest& request) {
  if (marks.importing)
    return Error{Errc::refused,
                 "an import into this namespace has not ended: run `ballot store import` of the same "
                 "file again, or empty the namespace"};
  if (!marks.moved && !marks.exporting)
    return Error{Errc::not_found, "this namespace is not being moved, and was not moved"};
  if (marks.imported && !request.import_undone) return has_copy_elsewhere(*marks.imported);
  return {};
}

/// Nobody is asked what is known: where the namespace was not moved yet, there is no copy of it.
Result<void> confirm(const config::Config& config, const ReopenRequest& request) {
  const auto records = look_at_marks(config);
  if (!records) return records.error();
  const auto marks = marks_in(*records);
  if (!marks) return marks.error();
  if (const auto may = may_reopen(*marks, request); !may) return may;
  return marks->moved ? request.confirm() : Result<void>();
}

Result<void> reopen(NamespaceSession& session, const ReopenRequest& request) {
  const auto marks = read_marks(session);
  if (!marks) return marks.error();
  if (const auto may = may_reopen(*marks, request); !may) return may;
  if (const auto entries = lead_all(session, reopen_command, request.patience); !entries) return entries.error();
  const auto groups = session.list("g/");
  if (!groups) return groups.error();
  std::vector<NamespaceSession::Change> changes;
  for (const Register& one : *groups)
    if (std::string open = unhalted_text(one.value); open != one.value)
      changes.push_back({one.name.substr(2), one.name, std::move(open), one.version});
  if (const auto written = session.write(changes); !written) return written.error();
  BALLOT_FAILPOINT("store.reopen.opened");
  for (const std::string_view mark : {core::imported_mark, core::moved_mark, core::export_mark})
    if (const auto removed = session.remove({std::string(mark)}); !removed) return removed;
  return {};
}

}  // namespace

Exit reopen_store(const config::Config& config, const ReopenRequest& request) {
  if (const auto confirmed = confirm(config, request); !confirmed) return fail(reopen_command, confirmed.error());
  const auto session = NamespaceSession::open(config);
  if (!session) return fail_to_use(reopen_command, session.error());
  if (const auto done = reopen(**session, request); !done) return fail(reopen_command, done.error());
  (*session)->close();
  say(reopen_command,
      "the move is given up: daemons use this namespace again. A copy of it must not be imported any more; where one "
      "was imported by --old-store-is-gone, its slots run twice: stop the daemons that use it");
  return Exit::done;
}

}  // namespace ballot::app
