// A backend of somebody else, with keys, flags and a default of its own. It cannot be made.
#include "ballot/plugin.hpp"

namespace {

std::string peers_problem(const ballot::OptionValue& value) noexcept {
  const auto* const peers = std::get_if<std::vector<std::string>>(&value);
  if (peers == nullptr) return "peers must be a list";
  for (const std::string& peer : *peers)
    if (peer == "wrong") return "'wrong' is not a valid peer";
  return "";
}

std::string color_problem(const ballot::OptionValue& value) noexcept {
  return std::holds_alternative<std::string>(value) ? "" : "color must be a string";
}

constexpr ballot::OptionKey keys[] = {
    {"peers", peers_problem, ballot::OptionType::list, "the peers of a raft", ballot::OptionFlag::listed},
    {"log_color", color_problem, ballot::OptionType::text, "as it likes", ballot::OptionFlag::listed},
    {"secret", color_problem}};
constexpr ballot::OptionKey group_keys[] = {{"color", color_problem}};

ballot::Backend* create(ballot::Host&, const ballot::BackendSettings& settings, ballot::Error& error) noexcept {
  const auto color = settings.options.find("log_color");
  error = {ballot::Errc::unavailable,
           "raft logs in " + (color == settings.options.end() ? "grey" : std::get<std::string>(color->second))};
  return nullptr;
}

constexpr ballot::BackendTraits traits{.keys = keys, .group_keys = group_keys, .session_timeout = ballot::Millis(3000)};

}  // namespace

BALLOT_PLUGIN("raft", "1", traits, create)
