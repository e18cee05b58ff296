// KeyTidy: removes what dead nodes have left in a KeyStore, once a session, half of T after it was opened: candidacies
// of sessions that are over, and what nodes said of themselves that no group's last term names. Only where there are
// few groups, as all of it is read. Used on the plugin's thread only.
#pragma once

#include <optional>

#include "support/keys/key_context.hpp"
#include "support/keys/key_view.hpp"

namespace ballot::support {

class KeyTidy {
 public:
  static constexpr std::size_t most_groups = 1000, most_removed = 256;

  KeyTidy(KeyContext& context, const KeyView& view, SteadyTime when) : context_(context), view_(view), at_(when) {}

  void tick(SteadyTime now);
  std::optional<SteadyTime> due() const noexcept { return at_; }

 private:
  void check_members(const KeyRead& read);
  void check_candidates(const KeyRead& read);
  void remove(std::vector<KeyChange> changes);

  KeyContext& context_;
  const KeyView& view_;
  std::optional<SteadyTime> at_;
};

}  // namespace ballot::support
