#include "app/jobs/loaded_jobs.hpp"

#include <algorithm>
#include <iostream>
#include <set>

#include "app/jobs/away_instance.hpp"
#include "base/instance.hpp"
#include "config/names.hpp"
#include "io/control_client.hpp"
#include "library/settings.hpp"

namespace ballot::app {
namespace {

using Names = std::vector<std::string_view>;

Names job_names(const config::JobSet& set) {
  Names names;
  for (const auto& definition : set.definitions) {
    names.push_back(definition->job.name);
    if (is_instance(names.back())) names.push_back(common_name(names.back()));
  }
  return names;
}

Names group_names(const config::JobSet& set) {
  std::set<std::string_view> names;
  for (const auto& definition : set.definitions) {
    names.insert(*definition->job.group);
    names.insert(common_name(*definition->job.group));
  }
  for (const auto& [name, group] : set.groups) names.insert(name);
  return {names.begin(), names.end()};
}

Result<void> require(const std::string& what, const std::string& name, const Names& loaded,
                     const library::LedgerView& ledger) {
  if (std::find(loaded.begin(), loaded.end(), name) != loaded.end()) return {};
  return library::not_known(ledger,
                            "no " + what + " " + config::in_quotes(name) + " is loaded or in " +
                                (ledger.is_of_fleet() ? "the ledger of a node that answers" : "this node's ledger"),
                            config::did_you_mean(name, loaded));
}

}  // namespace

config::JobsDir load_jobs(const config::Config& config) {
  config::JobsDir jobs(config.jobs_dir, library::job_settings(config), {config.file, config.groups});
  jobs.reload();
  return jobs;
}

bool report_errors(const config::JobSet& set) {
  for (const config::Diagnostic& finding : set.diagnostics)
    if (finding.severity == config::Severity::error) std::cerr << finding.text() << '\n';
  return config::has_errors(set.diagnostics);
}

Downstream downstream_of(const config::JobSet& set, const std::string& job) {
  const auto next = [&](const std::string& parent) {
    std::vector<std::string> children;
    for (const auto& other : set.definitions) {
      const auto& parents = other->job.details->after;
      if (std::find(parents.begin(), parents.end(), parent) != parents.end()) children.push_back(other->job.name);
    }
    return children;
  };
  Downstream all{next(job), {}};
  std::set<std::string> seen(all.next.begin(), all.next.end());
  for (std::vector<std::string> layer = all.next; !layer.empty();) {
    std::vector<std::string> further;
    for (const std::string& parent : layer)
      for (std::string& child : next(parent))
        if (seen.insert(child).second) further.push_back(std::move(child));
    all.further.insert(all.further.end(), further.begin(), further.end());
    layer = std::move(further);
  }
  return all;
}

Result<io::Message> ask_job(const config::Config& config, const std::string& job) {
  io::Message question;
  question.set("do", "job").set("job", job);
  return io::ask_once(config.control_socket, question, std::chrono::seconds(5));
}

Result<io::Message> ask_instance_elsewhere(const config::Config& config, const std::string& job) {
  if (!is_instance(job) || node_of_instance(job) == config.node)
    return Error{Errc::not_found, job + " is no instance of another node"};
  io::Message question;
  question.set("do", "job").set("form", "shown").set("job", job).set("scope", "fleet");
  return io::ask_once(config.control_socket, question, std::chrono::seconds(10));
}

Result<std::vector<io::Message>> ask_list(const config::Config& config, const char* what) {
  constexpr std::chrono::seconds patience(10);
  auto client = io::ControlClient::ask(config.control_socket, io::Message().set("do", what), patience);
  if (!client) return client.error();
  std::vector<io::Message> all;
  for (auto line = client->next(patience);; line = client->next(patience)) {
    if (!line) return line.error();
    if (!*line) return all;
    for (io::Message& one : (*line)->objects(what)) all.push_back(std::move(one));
  }
}

Result<std::vector<std::string>> with_instances(std::vector<std::string> names, library::LedgerView& ledger) {
  for (const std::string& name : std::vector(names)) {
    const auto instances = ledger.instances_of(name);
    if (!instances) return instances.error();
    names.insert(names.end(), instances->begin(), instances->end());
  }
  return names;
}

namespace {

/// Nothing is wrong with a name of another node's instance: its rows are there.
bool is_instance_elsewhere(const std::string& name, const config::Config& config) {
  if (!is_instance(name) || node_of_instance(name) == config.node) return false;
  return load_jobs(config).set().definitions.contains(instance_name(common_name(name), config.node));
}

}  // namespace

Result<void> require_own(const std::string& name, const config::Config& config) {
  if (!is_instance_elsewhere(name, config)) return {};
  if (auto known = require_node_of(name, config); !known) return known;
  return Error{Errc::not_found, "job " + std::string(common_name(name)) + " runs on each node, and " + name +
                                    " is the instance of node " + std::string(node_of_instance(name)) + ": ask there"};
}

Result<void> require_job(const std::string& name, const config::Config& config, library::LedgerView& ledger) {
  const auto known = ledger.knows_job(name);
  if (!known) return known.error();
  if (*known) return {};
  const auto instances = ledger.instances_of(name);
  if (instances && !instances->empty()) return {};
  const auto loaded = require("job", name, job_names(load_jobs(config).set()), ledger);
  if (loaded || is_instance_elsewhere(name, config)) return {};
  if (ask_job(config, name) || ask_job(config, instance_name(name, config.node))) return {};
  return loaded;
}

Result<void> require_group(const std::string& name, const config::Config& config, library::LedgerView& ledger) {
  const auto known = ledger.knows_group(name);
  if (!known) return known.error();
  if (*known) return {};
  const auto instances = ledger.instances_of(name);
  if (instances && !instances->empty()) return {};
  const config::JobsDir jobs = load_jobs(config);
  const Names groups = group_names(jobs.set());
  const std::string own = instance_name(common_name(name), config.node);
  const bool is_elsewhere = is_instance(name) && std::find(groups.begin(), groups.end(), own) != groups.end();
  return is_elsewhere ? Result<void>() : require("group", name, groups, ledger);
}

Error with_config_errors(Error error, const config::JobSet& set) {
  const std::string errors = config::summary_of_errors(set.diagnostics);
  if (error.code == Errc::not_found && !errors.empty()) error.what += "; config: " + errors;
  return error;
}

Error with_guess(Error error, const std::string& job, const std::string& group, const config::Config& config) {
  if (error.code != Errc::not_found || error.what.find("did you mean") != std::string::npos) return error;
  const config::JobsDir jobs = load_jobs(config);
  const std::string& name = job.empty() ? group : job;
  const Names names = job.empty() ? group_names(jobs.set()) : job_names(jobs.set());
  if (std::find(names.begin(), names.end(), name) == names.end()) error.what += config::did_you_mean(name, names);
  return error;
}

}  // namespace ballot::app
