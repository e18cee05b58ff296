#include "core/node/node_directory.hpp"

#include <algorithm>

namespace ballot::core {
namespace {

constexpr Millis drift_delay{5000};  // files reach nodes one by one
constexpr Millis renewal{10'000};    // of what an unfit node publishes

}  // namespace

void NodeDirectory::on_lost() {
  records_.clear();
  publishing_ = renews_ = false;
  changed_ = true;
  peers_.clear();
  has_learned_ = false;
  compare_at_.reset();
  runners_wanted_.clear();
}

void NodeDirectory::set_troubles(std::vector<std::string> troubles) {
  if (troubles == troubles_) return;
  troubles_ = std::move(troubles);
  troubles_changed_ = true;
}

/// Groups are handed to the node as before, whatever else its troubles are.
bool NodeDirectory::begin_publishing(SteadyTime now, const std::string& unfit) {
  if (publishing_) return false;
  if (unfit != unfit_) changed_ = true;
  const bool is_other = std::exchange(changed_, false);
  renews_ = !unfit_.empty() && now >= renew_at_;
  if (!std::exchange(troubles_changed_, false) && !is_other && !renews_) return false;
  publishing_ = true;
  renew_at_ = now + renewal;
  if (!is_other) return true;
  unfit_ = unfit;
  steady_since_ = now;
  compare_by(now + drift_delay);
  return true;
}

/// Records that say something new, and those that say something old.
StoreClient::RecordOp NodeDirectory::node_record(WallTime now, Groups groups, Random& random) {
  NodeRecord self{node_,
                  session_,
                  unfit_,
                  {},
                  std::move(groups.digests),
                  runner_,
                  std::move(groups.unfit),
                  std::move(groups.gone_back),
                  std::move(groups.evidence),
                  api_,
                  troubles_};
  self.knows_pause_terms = self.knows_triggers = self.knows_backfills = true;
  const std::vector<std::string> keys = to_texts(self);
  self.at = now;
  const std::vector<std::string> texts = to_texts(self);
  StoreClient::RecordOp op;
  op.of_self = true;
  if (const auto first = records_.find(keys[0]); std::exchange(renews_, false) && first != records_.end())
    op.obsolete.push_back(std::exchange(first->second, {}));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::string& name = records_[keys[i]];
    if (!name.empty()) continue;
    name = std::string(node_prefix) + node_ + "." + random.run_id(now).text();
    op.records.push_back({name, texts[i]});
  }
  std::erase_if(records_, [&](const auto& one) {
    const bool old = std::find(keys.begin(), keys.end(), one.first) == keys.end();
    if (old) op.obsolete.push_back(one.second);
    return old;
  });
  return op;
}

std::optional<StoreClient::RecordOp> NodeDirectory::on_published(const StoreClient::RecordOp& done) {
  publishing_ = !done.obsolete.empty();
  if (!publishing_) return std::nullopt;
  StoreClient::RecordOp removal;
  removal.of_self = true;
  removal.removals = done.obsolete;
  return removal;
}

std::vector<std::string> NodeDirectory::records() const {
  std::vector<std::string> names;
  for (const auto& [says, name] : records_) names.push_back(name);
  return names;
}

std::vector<std::string> NodeDirectory::learn(Now now, const std::vector<Register>& records) {
  has_learned_ = true;
  if (peers_.learn(now.steady, node_, records)) compare_by(now.steady + drift_delay);
  if (publishing_ || changed_) return {};  // they are listed again when that is done
  std::vector<std::string> old = peers_.leftovers(now);
  for (const Register& record : records) {
    const auto parsed = parse_node_record(record.value);
    const bool ours = parsed && parsed->node == node_;
    if (ours &&
        std::none_of(records_.begin(), records_.end(), [&](const auto& one) { return one.second == record.name; }))
      old.push_back(record.name);
  }
  return old;
}

void NodeDirectory::see(Now now, const Group& settings, const Election& election) {
  hear(now, election);
  if (peers_.see(now, settings, election)) compare_by(now.steady);
}

std::vector<std::pair<std::string, RunnerPlace>> NodeDirectory::runners_of(std::set<std::string> nodes,
                                                                           const std::string& machine_id,
                                                                           const std::string& boot_id) {
  std::vector<std::pair<std::string, RunnerPlace>> here;
  runners_wanted_.merge(std::move(nodes));
  std::erase_if(runners_wanted_, [&](const std::string& node) {
    auto place = peers_.runner_of(node);
    if (place && place->is_here(machine_id, boot_id)) here.emplace_back(node, *place);
    return place.has_value();
  });
  return here;
}

void NodeDirectory::compare_by(SteadyTime at) {
  if (!compare_at_ || at < *compare_at_) compare_at_ = at;
}

}  // namespace ballot::core
