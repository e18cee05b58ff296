#include "support/keys/key_view.hpp"

#include <unordered_set>

#include "support/keys/key_context.hpp"

namespace ballot::support {

namespace {

std::string after(const KeyEntry& entry, std::string_view prefix) { return entry.key.substr(prefix.size()); }

}  // namespace

TermRecord put_out(TermRecord term) {
  if (term.session != no_session) term.before.push_back({term.node, term.session});
  term.session = no_session;
  term.clean = false;
  return term;
}

std::vector<std::string> KeyView::list_terms(const std::vector<KeyEntry>& entries) {
  std::vector<std::string> changed;
  std::unordered_set<std::string> there;
  for (const KeyEntry& entry : entries) {
    const std::string group = after(entry, KeyNames::terms);
    there.insert(group);
    if (write_term(group, entry.value, entry.version)) changed.push_back(group);
  }
  for (const auto& [group, term] : terms_)
    if (!there.contains(group)) changed.push_back(group);
  std::erase_if(terms_, [&](const auto& one) { return !there.contains(one.first); });
  terms_listed_ = true;
  return changed;
}

std::vector<KeyView::Gone> KeyView::list_sessions(const std::vector<KeyEntry>& entries) {
  std::vector<Gone> gone;
  const auto before = std::exchange(sessions_, {});
  for (const KeyEntry& entry : entries) sessions_[after(entry, KeyNames::sessions)] = entry.value;
  for (const auto& [node, session] : before)
    if (!is_open(node, session)) gone.push_back({node, session});
  sessions_listed_ = true;
  return gone;
}

bool KeyView::write_term(const std::string& group, const std::string& text, std::uint64_t version) {
  Term& term = terms_[group];
  if (version <= term.version) return false;
  term = {parse_term(text), version};
  return true;
}

bool KeyView::remove_term(const std::string& group) { return terms_.erase(group) > 0; }

std::vector<KeyView::Gone> KeyView::write_session(const std::string& node, const std::string& session) {
  std::string& known = sessions_[node];
  if (known == session) return {};
  const std::string before = std::exchange(known, session);
  if (before.empty()) return {};
  return {{node, before}};
}

std::vector<KeyView::Gone> KeyView::remove_session(const std::string& node) {
  const auto found = sessions_.find(node);
  if (found == sessions_.end()) return {};
  const Gone gone{node, found->second};
  sessions_.erase(found);
  return {gone};
}

const KeyView::Term& KeyView::term(const std::string& group) const {
  static const Term none;
  const auto found = terms_.find(group);
  return found == terms_.end() ? none : found->second;
}

bool KeyView::is_open(const std::string& node, const std::string& session) const {
  const auto found = sessions_.find(node);
  return found != sessions_.end() && found->second == session;
}

}  // namespace ballot::support
