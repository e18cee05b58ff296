// KeyObservation: elections as the store shows them, and the end of a term by somebody else's hand. Used on the
// plugin's thread only.
#pragma once

#include <memory>
#include <string>

#include "support/calls.hpp"
#include "support/keys/key_context.hpp"

namespace ballot::support {

class KeyObservation {
 public:
  explicit KeyObservation(KeyContext& context) : context_(context) {}

  void observe(const ObserveCall& call);
  void evict(const EvictCall& call);

 private:
  struct Query;
  using Shared = std::shared_ptr<Query>;

  void arrived(const Shared& query, KeyRead& part, const KeyRead& read);
  void arrived(const Shared& query);
  void on_term(const EvictCall& call, const KeyRead& read);
  void answer(RequestId request, WriteAnswer answer);

  KeyContext& context_;
};

}  // namespace ballot::support
