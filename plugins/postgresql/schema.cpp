#include "schema.hpp"

#include "ballot/run.hpp"
#include "failure.hpp"
#include "schema_sql.hpp"

namespace ballot::postgresql {

namespace {

std::string with(std::string text, const std::string& mark, const std::string& value) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
    text.replace(at, mark.size(), value);
  return text;
}

template <class Enum>
void add_words(std::string& values, const char* kind, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    values += std::string(values.empty() ? "" : ", ") + "('" + kind + "', " + std::to_string(i) + ", '" +
              std::string(to_string(static_cast<Enum>(i))) + "')";
}

}  // namespace

void check_version(const Answer& version, const std::string& place) {
  if (version.rows() != 1) fail(Errc::refused, place + ": its tables have no version: ballot history migrate");
  if (version.number(0, 1) > schema_version)
    fail(Errc::refused, place + ": its tables are of a newer ballot (version " + std::to_string(version.number(0, 0)) +
                            ", this one knows " + std::to_string(schema_version) + "): install that ballot");
}

std::string interval_of(Millis span) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(span).count()) + " seconds";
}

std::string migration_from(std::int64_t version, const std::string& schema) {
  const std::string statements[] = {std::string(tables_1) + functions_1, tables_2, tables_3, tables_4};
  return with(statements[version], "@schema@", schema);
}

std::string words_sql() {
  std::string values;
  add_words(values, "status", Status::missed);
  add_words(values, "reason", last_reason);
  add_words(values, "trigger", last_trigger);
  add_words(values, "leftover", Leftover::unkillable);
  add_words(values, "cause", Cause::unfit);
  return "INSERT INTO word VALUES " + values +
         " ON CONFLICT (kind, id) DO UPDATE SET text = excluded.text WHERE word.text <> excluded.text";
}

std::string grants_sql(const std::string& schema, const std::string& quoted_role) {
  return with(with(std::string(grants_1) + grants_2 + grants_3, "@schema@", schema), "@role@", quoted_role);
}

}  // namespace ballot::postgresql
