#include "core/request/pause_answers.hpp"

#include "base/wall_text.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t most_named = 5;  // an answer is a record of limited size

std::string with_facts(const std::string& facts) { return facts.empty() ? "" : " " + facts; }

}  // namespace

std::string pause_facts(const std::optional<WallTime>& since, std::string_view by) {
  std::string text = since ? "since " + format_millis(*since) : "";
  if (!by.empty()) text += (text.empty() ? "by " : ", by ") + std::string(by);
  return text;
}

Answer job_resumed(std::string_view job, std::string_view group, const std::optional<std::string>& group_pause) {
  if (!group_pause) return Answer::done();
  const std::string name(group);
  return Answer::did("job " + std::string(job) + " itself is not paused any more, but its group " + name + " is" +
                     with_facts(*group_pause) + ": `ballot resume --group " + name + "` ends that");
}

Answer group_resumed(std::string_view group, const std::vector<std::pair<std::string, std::string>>& paused) {
  if (paused.empty()) return Answer::done();
  std::string text = "group " + std::string(group) + " is not paused any more, but by themselves these jobs are:";
  for (std::size_t i = 0; i < paused.size() && i < most_named; ++i)
    text += (i == 0 ? " " : "; ") + paused[i].first + with_facts(paused[i].second);
  if (paused.size() > most_named) text += "; and " + std::to_string(paused.size() - most_named) + " more";
  return Answer::did(text + ". `ballot resume JOB` ends that");
}

}  // namespace ballot::core
