// KeyView: the terms of all groups and the open sessions, as a KeyStore has reported them. What it says of a session
// that is over is so for good; what it says of a term may be old, which the version tells. Knows nothing of who leads
// here. Pure.
//
//   for (const std::string& group : view.list_terms(entries)) ...      // whose terms are other ones now
//   if (view.complete() && !view.is_open(term.node, term.session)) ... // vacant
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/keys/key_store.hpp"
#include "support/texts.hpp"

namespace ballot::support {

/// The session of a term that was ended by somebody else's hand.
inline constexpr const char* no_session = "-";
/// The term, put out: the next leader knows of its session.
TermRecord put_out(TermRecord term);

class KeyView {
 public:
  struct Term {
    TermRecord record;
    std::uint64_t version = 0;  // 0: there is none
  };
  /// A session that is over.
  struct Gone {
    std::string node, session;
  };

  /// Terms and sessions have been listed.
  bool complete() const noexcept { return terms_listed_ && sessions_listed_; }
  std::size_t size() const noexcept { return terms_.size() + sessions_.size(); }

  /// Takes the terms that are there. Returns the groups whose terms have changed.
  std::vector<std::string> list_terms(const std::vector<KeyEntry>& entries);
  std::vector<Gone> list_sessions(const std::vector<KeyEntry>& entries);

  /// False: that is known already, or older than what is known.
  bool write_term(const std::string& group, const std::string& text, std::uint64_t version);
  /// Removed by hand. False: it is not known.
  bool remove_term(const std::string& group);
  /// The session that had the node's name, where it was another one.
  std::vector<Gone> write_session(const std::string& node, const std::string& session);
  std::vector<Gone> remove_session(const std::string& node);

  const Term& term(const std::string& group) const;
  const std::unordered_map<std::string, Term>& terms() const noexcept { return terms_; }
  bool is_open(const std::string& node, const std::string& session) const;
  /// The sessions by their nodes.
  const std::map<std::string, std::string>& sessions() const noexcept { return sessions_; }

 private:
  std::unordered_map<std::string, Term> terms_;  // by group
  std::map<std::string, std::string> sessions_;  // by node
  bool terms_listed_ = false, sessions_listed_ = false;
};

}  // namespace ballot::support
