#include "storage/ledger.hpp"

#include <pthread.h>

#include "base/duration.hpp"
#include "storage/writer.hpp"

namespace ballot::storage {

std::string slow_disk(const LedgerOptions& options) {
  return options.path + ": a write takes longer than " + format_duration(options.slow_write) +
         ": its disk is slow, or others keep it busy";
}

Ledger::Ledger(LedgerOptions options, LedgerHooks hooks) : slow_write_(options.slow_write), backlog_(options.bounds) {
  writer_ = std::thread([this, options = std::move(options), hooks = std::move(hooks)] {
    lost_ = Writer(options, hooks, backlog_, sending_).work();
  });
  pthread_setname_np(writer_.native_handle(), "ballot-ledger");
}

Ledger::~Ledger() { close(); }

std::int64_t Ledger::close() {
  backlog_.stop();
  if (writer_.joinable()) writer_.join();
  return lost_;
}

void Ledger::record(Row row) { backlog_.push(std::move(row)); }
void Ledger::record_if_absent(Row row) { backlog_.push(EvidenceRow{std::move(row)}); }
void Ledger::record(TermRow term) { backlog_.push(std::move(term)); }
void Ledger::record(DefinitionRow definition, std::shared_ptr<const Job> job) {
  backlog_.push(DefinedRow{std::move(definition), std::move(job)});
}
void Ledger::record(KnownRow known) { backlog_.push(std::move(known)); }
void Ledger::record(PauseRow pause) { backlog_.push(std::move(pause)); }
void Ledger::record(RequestRow request) { backlog_.push(std::move(request)); }
void Ledger::record(AnswerRow answer) { backlog_.push(std::move(answer)); }
void Ledger::record(const RunId& run, int attempt, Output output) {
  backlog_.push(OutputRecord{run, attempt, std::move(output)});
}
void Ledger::flush(std::function<void()> done) { backlog_.push_flush(std::move(done)); }

}  // namespace ballot::storage
