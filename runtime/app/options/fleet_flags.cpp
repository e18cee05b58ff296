#include "app/options/fleet_flags.hpp"

#include <algorithm>

#include "app/options/options.hpp"
#include "base/duration.hpp"
#include "config/names.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t most_nodes = 100;

bool is_count(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<Millis> duration_of(const std::string& text, const std::string& what) {
  const auto duration = parse_duration(text);
  if (duration && *duration > Millis(0)) return *duration;
  return Error{Errc::invalid, what + " must be a duration such as 90s or 20m, not " + config::in_quotes(text)};
}

}  // namespace

Result<simulation::Loss> parse_loss(const std::string& text) {
  constexpr std::string_view lose = "lose:";
  const std::size_t at = text.find('@'), slash = text.find('/');
  if (!text.starts_with(lose) || at == std::string::npos || at == lose.size() ||
      (slash != std::string::npos && slash < at))
    return Error{
        Errc::invalid,
        "must be lose:NODE@TIME or lose:NODE@TIME/DURATION, such as lose:host-2@2026-12-01T00:00:00Z/30m, not " +
            config::in_quotes(text)};
  simulation::Loss loss;
  loss.node = text.substr(lose.size(), at - lose.size());
  const auto time = parse_time(text.substr(at + 1, slash == std::string::npos ? slash : slash - at - 1));
  if (!time) return time.error();
  loss.at = *time;
  if (slash == std::string::npos) return loss;
  const auto lasts = duration_of(text.substr(slash + 1), "how long the node is lost");
  if (!lasts) return lasts.error();
  loss.lasts = *lasts;
  return loss;
}

Result<void> add_nodes(const std::string& text, std::vector<std::string>& to) {
  if (is_count(text)) {
    const auto count = parse_number(text, 1);
    if (!count || static_cast<std::size_t>(*count) > most_nodes || !to.empty())
      return Error{Errc::invalid, "must be one number from 1 to " + std::to_string(most_nodes) +
                                      ", or a list of names, not " + config::in_quotes(text)};
    for (std::int64_t i = 1; i <= *count; ++i) to.push_back("host-" + std::to_string(i));
    return {};
  }
  if (!config::is_node_name(text)) return Error{Errc::invalid, config::in_quotes(text) + " is not a valid node name"};
  if (std::find(to.begin(), to.end(), text) != to.end())
    return Error{Errc::invalid, "node " + text + " is named twice"};
  if (to.size() == most_nodes) return Error{Errc::invalid, "at most " + std::to_string(most_nodes) + " nodes"};
  to.push_back(text);
  return {};
}

Result<void> add_run_time(const std::string& text, simulation::RunTimes& to) {
  const std::size_t sign = text.find('=');
  const auto duration = duration_of(sign == std::string::npos ? text : text.substr(sign + 1), "a run time");
  if (!duration) return duration.error();
  if (sign == std::string::npos) {
    to.assumed = *duration;
    return {};
  }
  const std::string job = text.substr(0, sign);
  if (!config::is_job_or_instance(job))
    return Error{Errc::invalid, config::in_quotes(job) + " is not a valid job name"};
  to.known[job] = *duration;
  return {};
}

}  // namespace ballot::app
