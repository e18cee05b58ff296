#include "core/store/store_client.hpp"

#include <algorithm>

#include "base/instance.hpp"
#include "core/record/standing_pause.hpp"

namespace ballot::core {
namespace {

/// Takes what was asked under this number, if it is still waited for.
template <class T>
std::optional<T> take(std::map<RequestId, T>& asked, RequestId request) {
  auto found = asked.extract(request);
  return found.empty() ? std::nullopt : std::optional<T>(std::move(found.mapped()));
}

}  // namespace

void StoreClient::Reading::add_pause(std::string_view job, std::vector<std::string>& names) {
  if (!is_instance(job)) return;
  paused.emplace_back(common_name(job));
  names.push_back(pause_record(common_name(job)));
  names.push_back(pause_end_record(common_name(job)));
}

const std::string* StoreClient::RecordOp::name(std::size_t i) const {
  if (!records.empty()) return i < records.size() ? &records[i].name : nullptr;
  return i < removals.size() ? &removals[i] : nullptr;
}

const RunId* StoreClient::RecordOp::asked() const {
  if (request) return &*request;
  return next.empty() ? nullptr : next.front().asked();
}

void StoreClient::list(Actions& out, Reading reading, std::string_view prefix) {
  all_reading_ += reading.entries;
  reads_[++last_request_] = std::move(reading);
  out.push_back(List{last_request_, std::string(prefix)});
}

void StoreClient::read(Actions& out, Reading reading, std::vector<std::string> names) {
  reading.entries = names.size();
  all_reading_ += reading.entries;
  reads_[++last_request_] = std::move(reading);
  out.push_back(Read{last_request_, std::move(names)});
}

void StoreClient::write(Actions& out, std::vector<JobWrite> writes) {
  Write write{++last_request_, {}};
  JobWrites& jobs = writes_[write.request];
  for (JobWrite& job : writes) {
    jobs.emplace_back(job.job, job.serial);
    write.batch.push_back(std::move(job.request));
  }
  all_writing_ += jobs.size();
  out.push_back(std::move(write));
}

void StoreClient::write(Actions& out, GroupEntry& group, RegisterWrite write) {
  group_writes_[++last_request_] = &group;
  out.push_back(Write{last_request_, {std::move(write)}});
}

void StoreClient::observe(Actions& out, GroupEntry& group, const std::string& name) {
  for (const auto& [request, observed] : observing_)
    if (observed == &group) return;
  observing_[++last_request_] = &group;
  out.push_back(Observe{last_request_, name});
}

void StoreClient::send(Actions& out, RecordOp op) {
  const RequestId request = ++last_request_;
  if (!op.records.empty())
    out.push_back(Create{request, op.records});
  else
    out.push_back(Remove{request, op.removals});
  records_[request] = std::move(op);
}

void StoreClient::create(Actions& out, bool open, RecordOp op) {
  if (!open) return delay(std::move(op));
  send(out, std::move(op));
}

void StoreClient::remove(Actions& out, std::vector<std::string> names) {
  out.push_back(Remove{++last_request_, std::move(names)});
}

void StoreClient::send_delayed(Actions& out) {
  for (RecordOp& op : std::exchange(delayed_, {})) send(out, std::move(op));
}

bool StoreClient::begin_retry(SteadyTime now) {
  if (retry_at_ && *retry_at_ > now) return false;
  retry_at_.reset();
  return true;
}

std::optional<StoreClient::Reading> StoreClient::on_read(RequestId request) {
  auto reading = take(reads_, request);
  if (reading) all_reading_ -= reading->entries;
  return reading;
}

std::optional<StoreClient::JobWrites> StoreClient::on_written(RequestId request) {
  auto jobs = take(writes_, request);
  if (jobs) all_writing_ -= jobs->size();
  return jobs;
}

GroupEntry* StoreClient::on_group_written(RequestId request) { return take(group_writes_, request).value_or(nullptr); }

GroupEntry* StoreClient::on_observed(RequestId request) { return take(observing_, request).value_or(nullptr); }

std::optional<StoreClient::RecordOp> StoreClient::on_recorded(RequestId request) { return take(records_, request); }

std::vector<StoreClient::RecordOp> StoreClient::on_lost() {
  reads_.clear();
  all_reading_ = 0;
  writes_.clear();
  all_writing_ = 0;
  group_writes_.clear();
  observing_.clear();
  retry_at_.reset();
  std::vector<RecordOp> unknown;
  for (auto& [request, op] : std::exchange(records_, {})) unknown.push_back(std::move(op));
  return unknown;
}

std::size_t StoreClient::room(std::size_t begun) const {
  return most_writes_ - std::min(most_writes_, all_writing_ + begun);
}

JobEntry* StoreClient::next_throttled() {
  if (throttled_.empty()) return nullptr;
  JobEntry* const next = throttled_.front();
  throttled_.pop_front();
  return next;
}

void StoreClient::end_step(SteadyTime now) {
  if (last_request_ > (sent_.empty() ? 0 : sent_.back().last)) sent_.push_back({last_request_, now, all_reading_});
  while (!sent_.empty() && oldest().value_or(last_request_ + 1) > sent_.front().last) sent_.pop_front();
}

std::optional<SteadyTime> StoreClient::owed_since() const {
  return sent_.empty() ? std::nullopt : std::optional(sent_.front().at);
}

std::optional<SteadyTime> StoreClient::overdue_at(Millis timeout) const {
  if (sent_.empty()) return std::nullopt;
  const Sent& oldest = sent_.front();
  return oldest.at + timeout + entry_patience * static_cast<Millis::rep>(oldest.reading);
}

RequestId StoreClient::give_up_oldest() {
  const RequestId last = sent_.front().last;
  sent_.pop_front();
  return last;
}

std::optional<RequestId> StoreClient::oldest() const {
  std::optional<RequestId> oldest;
  const auto consider = [&](const auto& asked) {
    if (!asked.empty() && (!oldest || asked.begin()->first < *oldest)) oldest = asked.begin()->first;
  };
  consider(writes_), consider(group_writes_), consider(observing_), consider(reads_), consider(records_);
  return oldest;
}

std::size_t StoreClient::writes_in(RequestId request) const {
  const auto found = writes_.find(request);
  return found == writes_.end() ? 0 : found->second.size();
}

}  // namespace ballot::core
