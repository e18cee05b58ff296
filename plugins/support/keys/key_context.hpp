// KeyContext: what the parts of one session on a KeyStore share; and the names of its keys. Used on the plugin's thread
// only.
//
//   context.store.get({KeyNames::session(node)}, ...);   context.post(backend::Wrote{...});
#pragma once

#include <string>
#include <utility>

#include "ballot/backend.hpp"
#include "support/calls.hpp"
#include "support/keys/key_store.hpp"

namespace ballot::support {

struct KeyNames {
  static constexpr const char *sessions = "s/", *members = "m/", *terms = "t/", *candidates = "c/", *registers = "r/";

  static std::string session(const std::string& node) { return sessions + node; }
  static std::string member(const std::string& node) { return members + node; }
  static std::string term(const std::string& group) { return terms + group; }
  static std::string candidates_of(const std::string& group) { return candidates + group + "/"; }
  static std::string candidate(const std::string& group, const std::string& node) {
    return candidates_of(group) + node;
  }
  static std::string of_register(const std::string& name) { return registers + name; }
};

struct KeyContext {
  KeyStore& store;
  Host& host;
  const SessionRequest self;  // its node is a member name
  std::string session = {};   // as the store names it
  Millis timeout{0};          // T, as granted
  Events events = {};         // to be posted, in order

  void post(Event event) { events.push_back(std::move(event)); }
};

}  // namespace ballot::support
