// The commands of `ballot`: one line each.
#include <array>

#include "app/command.hpp"
#include "app/commands/commands.hpp"

namespace ballot::app {

std::span<const Command> commands() {
  static constexpr std::array table{
      Command{"serve", "run the daemon: take part in elections and launch what is due", nullptr, setup_serve},
      Command{"check", "find everything that is wrong with job files and ballot.toml", setup_check},
      Command{"plan", "show what other job files in place of these would change", setup_plan},
      Command{"simulate", "show what a fleet would be asked, and what a lost node would do", setup_simulate},
      Command{"schedule", "show when an expression is due", setup_schedule},
      Command{"jobs", "list the jobs in force, their leaders and next slots", setup_jobs},
      Command{"show", "show a job: its definition in force, state, next slots and last runs", setup_show},
      Command{"trigger", "run a job now, by hand", setup_trigger},
      Command{"kill", "end a run, wherever it is executed", setup_kill},
      Command{"pause", "start nothing of a job, or of a group, but what is triggered by hand", setup_pause},
      Command{"resume", "end a pause", setup_resume},
      Command{"backfill", "run past slots of a job again, oldest first", setup_backfill},
      Command{"forget", "close a run whose node will not come back", setup_forget},
      Command{"repair", "end the halt of a job, or of a group", setup_repair},
      Command{"status", "show the state of this node", setup_status, nullptr, Exit::not_found},
      Command{"nodes", "show how the nodes of the fleet are", setup_nodes, nullptr, Exit::not_found},
      Command{"next", "list what is due next, over the fleet", setup_next},
      Command{"info", "show elections, with no daemon needed", nullptr, setup_info},
      Command{"election", "list, watch and evict leaders; elections for other programs", nullptr, setup_election},
      Command{"run", "run one command under election: once, or by a schedule", nullptr, setup_run},
      Command{"resign", "leave the elections of a daemon that is dead", setup_resign},
      Command{"history", "list what became of every slot", setup_history},
      Command{"output", "print what a run printed", setup_output},
      Command{"why", "explain what became of a slot", setup_why},
      Command{"slow", "list runs that take longer than 95 of 100 of their job", setup_slow},
      Command{"audit", "check the ledger against the schedule, computed anew", setup_audit},
      Command{"backup", "copy the ledger, while it is written", setup_backup},
      Command{"store", "move a namespace from one store to another", nullptr, setup_store},
      Command{"token", "make a token for the API", setup_token},
      Command{"import", "make job files of crontabs", setup_import},
      Command{"help", "show the manual of a command", setup_help},
      Command{"version", "print the version, the plugin ABI and the plugins found", setup_version},
  };
  return table;
}

}  // namespace ballot::app
