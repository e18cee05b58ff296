#include "support/queue_sender.hpp"

#include <utility>

namespace ballot::support {

namespace {

constexpr int most_prepared = 3;  // together with others that make the same groups

}  // namespace

void QueueSender::enter(const std::string& group, std::uint64_t serial, std::string text) {
  entries_.push_back({group, serial, std::move(text)});
}

void QueueSender::claim(std::uint64_t serial, QueueStore::Claim claim) {
  claims_.push_back({claim.group, serial, std::move(claim)});
}

void QueueSender::leave(std::uint64_t serial, QueueStore::Leave leave) {
  leaves_.push_back({leave.group, serial, std::move(leave)});
}

void QueueSender::flush(bool all) {
  flush_leaves(all);
  flush_claims();
  flush_entries();
}

/// Some that are still wanted; or one that goes alone.
template <class What>
QueueSender::Items<What> QueueSender::take_some(Queue<What>& from) const {
  Items<What> items;
  while (!from.empty() && items.size() < batching_.most()) {
    const bool wanted = results_.wanted(from.front().group, from.front().serial);
    const bool alone = wanted && from.front().alone;
    if (alone && !items.empty()) return items;
    if (wanted) items.push_back(std::move(from.front()));
    from.pop_front();
    if (alone) return items;
  }
  return items;
}

/// One of several was refused, and so all were. False: nothing else would come of it if each were sent alone.
template <class What>
bool QueueSender::send_again(const Items<What>& items, const Step& step, Queue<What>& to) {
  if (step.ok() || items.size() == 1 || step.code == Step::Code::unknown) return false;
  for (const Item<What>& item : items) {
    to.push_back(item);
    to.back().alone = true;
  }
  return true;
}

void QueueSender::flush_entries() {
  while (batching_.ready(entries_.size())) {
    const auto items = take_some(entries_);
    if (items.empty()) continue;
    QueueStore::Names groups, texts;
    for (const auto& item : items) {
      groups.push_back(item.group);
      texts.push_back(item.what);
    }
    const auto entered = [this, items](const Step& step, const std::vector<QueueStore::Made>& made) {
      if (step.code == Step::Code::missing) return prepare(items);
      for (std::size_t i = 0; i < items.size(); ++i)
        results_.on_entered(items[i].group, items[i].serial, step, step.ok() ? made.at(i) : QueueStore::Made{});
    };
    store_.enter(groups, texts, batching_.counted(entered));
  }
}

/// Some of these groups are not there. All of them are made together; where that is refused another daemon has just
/// made some, and mostly all: only where they still are not there goes each alone.
void QueueSender::prepare(const Items<std::string>& items) {
  QueueStore::Names groups;
  for (const auto& item : items) groups.push_back(item.group);
  store_.prepare(groups, batching_.counted([this, items](const Step& step) {
    for (const auto& item : items) {
      if (!step.ok() && step.code != Step::Code::exists) {
        results_.on_entered(item.group, item.serial, step, {});
      } else {
        entries_.push_back(item);
        entries_.back().alone = !step.ok() && ++entries_.back().prepared > most_prepared;
      }
    }
  }));
}

void QueueSender::flush_claims() {
  while (batching_.ready(claims_.size())) {
    const auto items = take_some(claims_);
    if (items.empty()) continue;
    std::vector<QueueStore::Claim> claims;
    for (const auto& item : items) claims.push_back(item.what);
    const auto claimed = [this, items](const Step& step, const std::vector<std::uint64_t>& revisions) {
      // Where the terms have changed, mostly all have: many leaders have just resigned.
      if (step.code != Step::Code::changed && send_again(items, step, claims_)) return;
      for (std::size_t i = 0; i < items.size(); ++i)
        results_.on_claimed(items[i].group, items[i].serial, step, step.ok() ? revisions.at(i) : 0);
    };
    store_.claim(claims, batching_.counted(claimed));
  }
}

void QueueSender::flush_leaves(bool all) {
  while (batching_.ready(leaves_.size(), all)) {
    const auto items = take_some(leaves_);
    if (items.empty()) continue;
    std::vector<QueueStore::Leave> leaves;
    for (const auto& item : items) leaves.push_back(item.what);
    const auto left = [this, items](const Step& step) {
      if (send_again(items, step, leaves_)) return;
      for (const auto& item : items) results_.on_left(item.group, item.serial, step);
    };
    store_.leave(leaves, batching_.counted(left));
  }
}

}  // namespace ballot::support
