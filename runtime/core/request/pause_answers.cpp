#include "core/request/pause_answers.hpp"

#include "base/wall_text.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t most_named = 5;  // an answer is a record of limited size

std::string with_facts(const std::string& facts) { return facts.empty() ? "" : " " + facts; }

}  // namespace

std::string pause_facts(const std::optional<WallTime>& since, std::string_view by, const PauseTerms& terms) {
  std::string text = since ? "since " + format_millis(*since) : "";
  const auto add = [&](std::string_view word, const std::string& value) {
    text.append(text.empty() ? "" : ", ").append(word).append(value);
  };
  if (!by.empty()) add("by ", std::string(by));
  if (terms.ends) add("until ", format_millis(*terms.ends));
  if (!terms.reason.empty()) text += (text.empty() ? "" : ": ") + terms.reason;
  return text;
}

Answer pause_done(const std::string& what, const PauseTerms& terms) {
  if (terms.empty()) return Answer::done();
  std::string text = what + " is paused";
  if (terms.ends) text += " until " + format_millis(*terms.ends);
  if (!terms.reason.empty()) text += ": " + terms.reason;
  return Answer::did(std::move(text));
}

std::string terms_text(const std::optional<WallTime>& ends, std::string_view reason) {
  return pause_facts({}, "", {ends, std::string(reason)});
}

Answer done_for_all(const Request& asked) {
  Answer answer = pause_done("job " + asked.job, asked.terms);
  answer.run = asked.id;
  return answer;
}

Answer pause_changed(const std::string& what, const std::string& facts, const PauseTerms& now) {
  std::string text = what + " was paused already" + with_facts(facts) + "; now ";
  text += now.ends ? "until " + format_millis(*now.ends) : "without an end";
  if (!now.reason.empty()) text += ": " + now.reason;
  return Answer::did(std::move(text));
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
