#include "core/store/known_store.hpp"

#include <algorithm>
#include <utility>

#include "core/record/record_text.hpp"
#include "core/store/store_guard.hpp"

namespace ballot::core {
namespace {

constexpr Millis row_pause{60'000};  // between two rows of the store itself: each renewal changes it

struct Identity {
  RunId id;
};

constexpr Field<Identity> identity_fields[] = {
    {"id", Times::once, [](Identity& i, Words& w) { i.id = w.keep(RunId::parse(w.word())); }},
};

constexpr TextForm<Identity> identity_form{"the store's identity", identity_fields, nullptr};

}  // namespace

void KnownStore::on_load(std::vector<KnownRow> rows) {
  if (std::exchange(is_loaded_, true)) return;
  rows_ = std::move(rows);
}

bool KnownStore::identify(const std::vector<Register>& read) {
  if (read.empty()) return false;
  before_ = known_here();
  const auto parsed = parse_text(identity_form, read.front().value);
  identity_ = parsed ? std::optional(parsed->id) : before_;
  is_identified_ = true;
  return true;
}

std::string identity_text(const RunId& id) {
  std::string text(heading);
  text += "\n";
  line(text, "id", id.text());
  return text;
}

std::string KnownStore::identity_text(WallTime now, Random& random) {
  return core::identity_text(known_here().value_or(random.run_id(now)));
}

bool KnownStore::is_another() const { return identity_ && before_ && *identity_ != *before_; }

std::optional<RunId> KnownStore::known_here() const {
  const auto is_here = [this](const KnownRow& row) { return row.of == KnownRow::Of::store && row.name == place_; };
  const auto last = std::find_if(rows_.rbegin(), rows_.rend(), is_here);
  return last == rows_.rend() ? std::nullopt : std::optional(last->store);
}

std::vector<KnownRow> KnownStore::take_rows() {
  std::vector<KnownRow> rows = std::exchange(rows_, {});
  std::erase_if(rows, [this](const KnownRow& row) { return row.store != identity_; });
  return rows;
}

std::optional<KnownRow> KnownStore::due_row(const StoreGuard& guard, SteadyTime now) {
  const bool is_due =
      !recorded_at_ || now >= *recorded_at_ + row_pause || static_cast<std::uint64_t>(guard.times()) != recorded_.times;
  if (!is_due) return std::nullopt;
  auto row = last_row(guard);
  if (row) recorded_at_ = now;
  return row;
}

std::optional<KnownRow> KnownStore::last_row(const StoreGuard& guard) {
  if (!identity_) return std::nullopt;
  KnownRow row{*identity_, KnownRow::Of::store, place_, 0, guard.highest(), static_cast<std::uint64_t>(guard.times())};
  if (row == recorded_) return std::nullopt;
  return recorded_ = std::move(row);
}

}  // namespace ballot::core
