#include "library/held/pauses.hpp"

#include <algorithm>

#include "base/wall_text.hpp"
#include "core/views.hpp"

namespace ballot::library {

std::vector<Pause> standing_pauses_of(const core::JobView& view) {
  std::vector<Pause> pauses;
  if (view.own_pause) pauses.push_back(pause_of(Pause::Of::job, *view.own_pause));
  if (view.group_pause) pauses.push_back(pause_of(Pause::Of::group, *view.group_pause));
  return pauses;
}

std::vector<Pause> pauses_from(const io::Message& job) {
  std::vector<Pause> pauses;
  for (const io::Message& one : job.objects("pauses"))
    pauses.push_back({one.text("of") == "group" ? Pause::Of::group : Pause::Of::job,
                      parse_wall(one.text("since").value_or("")), one.text("by").value_or(""),
                      parse_wall(one.text("until").value_or("")), one.text("reason").value_or("")});
  if (pauses.empty() && job.text("paused_at"))  // a daemon that does not say whose it is
    pauses.push_back({Pause::Of::job, parse_wall(*job.text("paused_at")), job.text("paused_by").value_or("")});
  return pauses;
}

std::string pauses_text(const std::vector<Pause>& pauses) {
  std::string text = "paused";
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    const Pause& pause = pauses[i];
    if (i > 0) text += ", and";
    if (pause.of == Pause::Of::group) text += " with its group";
    if (pause.since) text += " since " + format_millis(*pause.since);
    if (!pause.by.empty()) text += ", by " + pause.by;
    if (pause.until) text += ", until " + format_millis(*pause.until);
    if (!pause.reason.empty()) text += ": " + pause.reason;
  }
  return text;
}

std::string resume_commands(const std::vector<Pause>& pauses, const std::string& job, const std::string& group) {
  std::string text;
  for (const Pause& pause : pauses)
    text += (text.empty() ? "`ballot resume " : " and `ballot resume ") +
            (pause.of == Pause::Of::group ? "--group " + group : job) + "`";
  return text;
}

std::optional<WallTime> paused_until(const std::vector<Pause>& pauses) {
  std::optional<WallTime> last;
  for (const Pause& pause : pauses) {
    if (!pause.until) return std::nullopt;
    last = last ? std::max(*last, *pause.until) : *pause.until;
  }
  return last;
}

std::optional<WallTime> due_from(std::string_view word, const std::vector<Pause>& pauses, WallTime now) {
  if (word == "active") return now;
  const auto until = word == "paused" ? paused_until(pauses) : std::nullopt;
  return until ? std::optional(std::max(now, *until)) : std::nullopt;
}

std::optional<WallTime> paused_since(const std::vector<Pause>& pauses) {
  std::optional<WallTime> first;
  for (const Pause& pause : pauses) {
    if (!pause.since) return std::nullopt;
    first = first ? std::min(*first, *pause.since) : *pause.since;
  }
  return first;
}

}  // namespace ballot::library
