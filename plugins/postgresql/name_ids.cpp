#include "name_ids.hpp"

#include <vector>

#include "failure.hpp"

namespace ballot::postgresql {

namespace {

// In their order, so that two who write the same names wait for each other, and not in a ring.
constexpr const char* insert_names =
    "INSERT INTO name (text) SELECT one FROM unnest($1::text[]) AS one"
    " WHERE NOT EXISTS (SELECT FROM name WHERE name.text = one) ORDER BY one COLLATE \"C\" ON CONFLICT DO NOTHING";
constexpr const char* find_names = "SELECT text, id FROM name WHERE text = ANY($1::text[])";

}  // namespace

void NameIds::learn(const std::set<std::string>& names) {
  if (connection_.generation() != generation_) {
    ids_.clear();
    pairs_.clear();
  }
  generation_ = connection_.generation();
  std::vector<std::string> unknown;
  for (const std::string& name : names)
    if (!name.empty() && !ids_.contains(name)) unknown.push_back(name);
  if (unknown.empty()) return;
  const auto answers = connection_.ask({{insert_names, Params().add(unknown)}, {find_names, Params().add(unknown)}});
  for (int row = 0; row < answers[1].rows(); ++row)
    ids_[answers[1].text(row, 0)] = static_cast<std::int32_t>(answers[1].number(row, 1));
  for (const std::string& name : unknown)  // one that the server has in other letters, as it is no UTF-8
    if (const auto found = ids_.find(clean_text(name)); found != ids_.end()) ids_[name] = found->second;
}

std::int32_t NameIds::of(const std::string& name) const {
  if (name.empty()) return 0;
  const auto found = ids_.find(name);
  if (found == ids_.end()) fail(Errc::corrupt, connection_.place() + ": it does not know a name that was just written");
  return found->second;
}

}  // namespace ballot::postgresql
