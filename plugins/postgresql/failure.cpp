#include "failure.hpp"

#include "schema.hpp"
#include "support/excerpt.hpp"

namespace ballot::postgresql {

namespace {

struct StateRule {
  std::string_view prefix;
  Errc code;
  const char* advice;  // "": what the server says is enough
};

/// The first that fits.
constexpr StateRule rules[] = {
    {conflict_state, Errc::conflict, ""},
    {other_tables_state, Errc::unavailable, ""},
    {"57014", Errc::timeout, ""},
    {"08", Errc::unavailable, ""},
    {"57P", Errc::unavailable, ""},
    {"40", Errc::unavailable, ""},
    {"55P03", Errc::unavailable, ""},
    {"53300", Errc::unavailable, ""},
    {"53", Errc::io, ""},
    {"58", Errc::io, ""},
    {"25006", Errc::io, "it only reads, as a replica does: [postgresql] url is to name the primary"},
    {"28", Errc::denied, ""},
    {"3D", Errc::refused, "make the database: createdb"},
    {"3F000", Errc::refused, "the tables are missing: ballot history migrate"},
    {"42P01", Errc::refused, "the tables are missing: ballot history migrate"},
    {"42703", Errc::refused, "the tables are of another ballot: ballot history migrate"},
    {"42883", Errc::refused, "the tables are of another ballot: ballot history migrate"},
    {"42501", Errc::refused,
     "this user lacks a right: ballot history migrate grants it to the user of [postgresql] url"},
    {"XX001", Errc::corrupt, ""},
    {"XX002", Errc::corrupt, ""},
};

/// libpq does not say what is wrong with it; nor that it is one, where an authority of the same name has another key.
std::string certificate_advice(const std::string& message) {
  for (const char* refusal : {"SSL error: certificate verify failed", "SSL error: EVP lib"})
    if (message.find(refusal) != std::string::npos)
      return "; the server's certificate has expired, or is not of [postgresql] tls_ca";
  return "";
}

}  // namespace

Error by_state(std::string_view state, const std::string& place, const std::string& message) {
  const std::string text = place + ": " + support::excerpt(message.substr(0, message.find('\n')));
  if (state.empty()) return {Errc::unavailable, text + certificate_advice(message)};
  for (const StateRule& rule : rules)
    if (state.starts_with(rule.prefix)) return {rule.code, *rule.advice == '\0' ? text : text + "; " + rule.advice};
  return {Errc::io, text + " (SQLSTATE " + std::string(state) + ")"};
}

}  // namespace ballot::postgresql
