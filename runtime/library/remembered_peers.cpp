#include "library/remembered_peers.hpp"

namespace ballot::library {

void RememberedPeers::see(const std::vector<core::PeerView>& peers, bool has_session) {
  if (!has_session) return;
  views_ = peers;
  texts_.clear();
  for (core::PeerView& view : views_)
    for (std::string_view* const text : {&view.node, &view.session, &view.unfit}) *text = texts_.emplace_back(*text);
}

}  // namespace ballot::library
