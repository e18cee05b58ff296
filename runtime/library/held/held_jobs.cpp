#include "library/held/held_jobs.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {
namespace {

void add(HeldJob held, std::vector<HeldJob>& all) {
  if (std::find(all.begin(), all.end(), held) == all.end()) all.push_back(std::move(held));
}

void add_pauses(const std::vector<Pause>& pauses, const std::string& job, const std::string& group,
                std::vector<HeldJob>& all) {
  for (const Pause& pause : pauses)
    add({pause.of, pause.of == Pause::Of::group ? group : job, "paused", pause.since, pause.by, "", pause.until}, all);
}

}  // namespace

std::vector<HeldJob> held_jobs(const std::vector<io::Message>& jobs, const std::string& node,
                               const StoredStates* stored) {
  std::vector<HeldJob> all;
  for (const io::Message& one : jobs) {
    const std::string job = one.text("job").value_or(""), group = one.text("group").value_or("");
    const bool is_own = one.text("leader") == node;
    const StoredState of_store = !is_own && stored ? stored->of(job, group) : StoredState();
    const std::string state = is_own ? one.text("state").value_or("") : of_store.word;
    if (state == "paused") add_pauses(is_own ? pauses_from(one) : of_store.pauses, job, group, all);
    if (state != "halted" && !is_move(state)) continue;
    const bool of_group = is_own ? one.flag("halted_with_group").value_or(false) : of_store.of_group;
    const auto since = is_own ? parse_wall(one.text("halted_at").value_or("")) : of_store.since;
    add({of_group ? Pause::Of::group : Pause::Of::job, of_group ? group : job, state, since}, all);
  }
  return all;
}

std::string text_of(const HeldJob& held) {
  const bool of_group = held.of == Pause::Of::group;
  std::string text = (of_group ? "group " : "job ") + held.name + " is " + held.word;
  if (held.since) text += " since " + format_millis(*held.since);
  if (held.word == not_defined) return text + ": " + held.trouble + ". So it has no slots";
  if (held.word == "moved") return text + " to another store: no slot of it is due here";
  if (held.word == "moving")
    return text +
           " from one store to another: its slots are not due until `ballot store export`, or `import`, has ended";
  if (!held.by.empty()) text += ", by " + held.by;
  const std::string end = held.until ? format_seconds(*held.until) + ", or " : "";
  return text + ": its slots are not due until " + end + "`ballot " + (held.word == "halted" ? "repair " : "resume ") +
         (of_group ? "--group " : "") + held.name + "`";
}

}  // namespace ballot::library
