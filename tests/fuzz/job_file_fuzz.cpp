// Job files.
#include "config/job_file.hpp"
#include "config/names.hpp"
#include "diagnostics.hpp"
#include "harness.hpp"
#include "unit/config/fake_backends.hpp"

namespace ballot::fuzz::job_file_harness {
namespace {

config::JobFile read_jobs(std::string_view text, const config::JobSettings& settings,
                          std::optional<std::uint32_t> owner) {
  config::Identities identities;
  return config::read_job_file(text, {"x.toml", owner}, settings, identities);
}

config::JobSettings settings_of_root() {
  config::JobSettings settings;
  settings.daemon = 0;
  settings.longest_kill_grace = Millis(2000);
  settings.backends = {{"far", &config::far_plugin}, {"near", &config::near_plugin}};
  settings.controllers = {"cpu", "memory"};
  return settings;
}

config::JobSettings settings_of_a_program() {
  config::JobSettings settings;
  settings.daemon = 1000;
  settings.node = "host-1.example";
  settings.has_function = [](std::string_view name) { return name == "f"; };
  settings.has_runner = false;
  return settings;
}

void look_at_jobs(const config::JobFile& file, std::string_view input) {
  look_at(file.diagnostics, input);
  if (has_errors(file.diagnostics))
    require(file.definitions.empty() && file.groups.empty(), "a file with an error defines nothing");
  for (const auto& [definition, position] : file.definitions) {
    const Job& job = definition->job;
    require(config::is_job_or_instance(job.name), "a job has a name", job.name);
    require(!definition->digest.empty(), "a definition has a digest", job.name);
    require(job.command.empty() == !job.details->function.empty(), "a job has one thing to run", job.name);
    const std::vector<WallTime> anchors(definition->plan.everies().size());
    definition->plan.next(WallTime{}, anchors);
  }
}

}  // namespace

BALLOT_FUZZ(job_file) {
  const auto first = read_jobs(input, settings_of_root(), 0);
  look_at_jobs(first, input);
  const auto again = read_jobs(input, settings_of_root(), 0);
  require(again.diagnostics == first.diagnostics && again.definitions.size() == first.definitions.size(),
          "a file is read as before");
  for (std::size_t i = 0; i < first.definitions.size(); ++i)
    require(again.definitions[i].definition->digest == first.definitions[i].definition->digest,
            "a digest stays the same");
  look_at_jobs(read_jobs(input, settings_of_a_program(), std::nullopt), input);
}

}  // namespace ballot::fuzz::job_file_harness
