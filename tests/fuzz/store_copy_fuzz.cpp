// A copy of a store, as somebody may have made or changed it.
#include "app/store/namespace_copy.hpp"
#include "app/store/store_copy.hpp"
#include "harness.hpp"

namespace ballot::fuzz::store_copy_harness {
namespace {

void read_whole(std::string_view text) {
  const auto copy = app::parse_store_copy(text);
  if (!copy) return require(is_showable(copy.error().what), "an error can be shown", copy.error().what);
  const auto again = app::parse_store_copy(app::to_text(*copy));
  require(again && *again == *copy, "a copy that was read is written so that it is read again", text);
  for (const std::string& group : app::groups_in(copy->entries)) require(!group.empty(), "a group has a name");
}

}  // namespace

BALLOT_FUZZ(store_copy) {
  read_whole(input);
  // With the digest that it lacks: what lies behind it is to be read too.
  read_whole(app::with_digest(input));
  app::StoreCopy copy;
  copy.by = copy.to = std::string(input);
  copy.entries = {{app::StoredEntry::Kind::of_record, "q/x", std::string(input)}};
  const auto read = app::parse_store_copy(app::to_text(copy));
  require(read && *read == copy, "any bytes come back", input);
  const std::string halted = app::halted_text(std::string(input), "moved", WallTime{});
  require(halted == input || app::unhalted_text(halted) == input, "a halt is taken back", halted);
}

}  // namespace ballot::fuzz::store_copy_harness
