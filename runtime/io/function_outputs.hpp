// FunctionOutputs: what functions of the host program print, as it comes, until the ledger has it for good: what the
// runner keeps of commands. Head and tail of each are kept, within the job's output_limit.
//
//   output state | call                 | next
//   open         | end()                | ended: nothing is added any more
//   ended        | forget()             | gone
//
// Threads: any. What is printed from several threads at once is whole, in some order.
//
//   facts.output = outputs.begin(id, job.details->output_limit);
//   const auto shown = outputs.show(id, 0);             // of another thread
//   row_output = outputs.end(id, "the last words");
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/kept_output.hpp"
#include "base/runner_wire.hpp"

namespace ballot::io {

class FunctionOutputs {
 public:
  /// What adds to it, also once this object is gone.
  std::function<void(std::string_view)> begin(const runner::AttemptId& id, std::int64_t limit);
  /// All of it, with `last` at its end.
  Output end(const runner::AttemptId& id, std::string_view last);
  void forget(const runner::AttemptId& id);

  /// None: it is no function's that is known here.
  std::optional<runner::Shown> show(const runner::AttemptId& id, std::int64_t from) const;

 private:
  struct Printed {
    explicit Printed(std::int64_t limit) : kept(limit) {}
    std::mutex mutex;
    KeptOutput kept;
    std::optional<Output> ended;
  };

  std::shared_ptr<Printed> find(const runner::AttemptId& id) const;

  mutable std::mutex mutex_;
  std::map<runner::AttemptId, std::shared_ptr<Printed>> outputs_;
};

}  // namespace ballot::io
