// What others have written on its way to a terminal, a log or a JSON reader: and the text of TOML that programs make.
#include "app/print/escape.hpp"
#include "config/document.hpp"
#include "config/toml_text.hpp"
#include "harness.hpp"
#include "http_client/json.hpp"

namespace ballot::fuzz::escape_harness {
namespace {

void as_toml(std::string_view input) {
  config::Diagnostics diagnostics;
  config::Findings findings("x.toml", diagnostics);
  const std::string text = "key = " + config::toml_string(input) + "\n";
  const auto document = config::parse_toml(text, findings);
  if (!document || !(*document)["key"].is_string()) {
    require(valid_utf8(input) != input || input.find('\0') != std::string_view::npos, "a text is one in TOML too",
            text);
    return;
  }
  require(document->get("key")->ref<std::string>() == input, "TOML gives the text back", text);
}

}  // namespace

BALLOT_FUZZ(escape) {
  using app::Escape;
  const bool is_text = valid_utf8(input) == input;
  for (const Escape how : {Escape::plain, Escape::quoted, Escape::json})
    require(is_harmless(app::escaped(input, how)), "a text that is escaped does nothing", app::escaped(input, how));
  const std::string quoted = app::escaped(input, Escape::quoted);
  for (std::size_t at = 0; at < quoted.size(); ++at)
    if (quoted[at] == '\\')
      ++at;
    else
      require(quoted[at] != '"', "a text within quotes does not end them", quoted);
  const http::json::value json = http::parse_json(app::json_text(input));
  require(json.is_string(), "JSON is JSON", app::json_text(input));
  if (is_text) require(http::text_of(json) == input, "JSON gives the text back", app::json_text(input));
  as_toml(input);
}

}  // namespace ballot::fuzz::escape_harness
