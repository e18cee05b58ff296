// ShownAnswers: the daemon's answers in public form, one message each, in pages where there may be many: {"do": ...,
// "form": "shown"}. Questions of the ledger in that form are in ledger_answers.hpp.
//
//   do     | asks for                                     | answers with
//   jobs   | `after`, `limit`, `group`                    | `jobs` by name, each with its last status; `next`
//   job    | `job`                                        | the same of one, and what its file says of its schedule
//   slots  | `job`, `from`, `to` (ms since 1970), `limit`,| `past`: rows of its slots up to now, newest first, and the
//          | `cursor`                                     | cursor `next`; `planned`: slots to come, in order
//   groups | `after`, `limit`                             | `groups` by name, with who leads them; `next`
//   runs   |                                              | `runs` that have not ended, as far as this node knows
//
// Knows nothing of who carries the answers. Thread: the loop's. Requires: what it is made with lives longer.
//
//   if (shown.answer(question, reply)) return;
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/question.hpp"
#include "library/job_folder.hpp"
#include "library/state_views.hpp"

namespace ballot::library {

inline constexpr std::int64_t default_page = 100, most_in_page = 1000;

class ShownAnswers {
 public:
  /// `ledger`: who answers questions of the ledger. `name`: the node's.
  ShownAnswers(Node& node, const StateViews& views, const JobFolder& jobs, io::Handler ledger, std::string name)
      : node_(node), views_(views), jobs_(jobs), ledger_(std::move(ledger)), name_(std::move(name)) {}

  /// False: no such question is answered here.
  bool answer(const io::Question& question, const io::Reply& reply) const;

 private:
  void answer_jobs(const io::Question& question, const io::Reply& reply) const;
  void answer_job(const io::Question& question, const io::Reply& reply) const;
  void answer_job_elsewhere(const std::string& name, const io::Question& question, const io::Reply& reply) const;
  schedule::DefinitionPtr definition_of(const std::string& name) const;
  bool is_of_known_node(const std::string& instance, const io::Message& answer) const;
  void answer_slots(const io::Question& question, const io::Reply& reply) const;
  bool is_paused(const std::string& job, const io::Message& past) const;
  void answer_groups(const io::Question& question, const io::Reply& reply) const;
  void answer_runs(const io::Question& question, const io::Reply& reply) const;
  /// Adds what the ledger says last of each job, and finishes by `then`.
  void with_last_statuses(const io::Question& question, const io::Reply& reply, std::vector<io::Message> jobs,
                          std::function<void(std::vector<io::Message>, io::Message whole)> then) const;

  Node& node_;
  const StateViews& views_;
  const JobFolder& jobs_;
  const io::Handler ledger_;
  const std::string name_;
};

}  // namespace ballot::library
