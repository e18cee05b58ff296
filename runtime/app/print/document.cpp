#include "app/print/document.hpp"

#include "app/print/escape.hpp"

namespace ballot::app {
namespace {

/// "proposalTime" as "proposal_time".
std::string in_snake_case(const std::string& name) {
  std::string words;
  for (const char c : name) {
    const bool begins_word = c >= 'A' && c <= 'Z';
    if (begins_word) words += '_';
    words += begins_word ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

struct Json {
  std::string out;

  void operator()(std::monostate) { out += "null"; }
  void operator()(const std::string& text) { out += json_text(text); }
  void operator()(std::int64_t number) { out += std::to_string(number); }
  void operator()(const Document::Fields& fields) {
    out += "{";
    const char* separator = "";
    for (const auto& [name, value] : fields) {
      out += separator + json_text(in_snake_case(name)) + ":";
      std::visit(*this, value.value());
      separator = ",";
    }
    out += "}";
  }
  void operator()(const Document::Items& items) {
    out += "[";
    const char* separator = "";
    for (const Document& item : items) {
      out += separator;
      std::visit(*this, item.value());
      separator = ",";
    }
    out += "]";
  }
};

/// A value after its key, or an item after its dash: scalars on the line, the rest below, indented.
struct Yaml {
  std::string out;
  std::string indent;
  bool in_item = false;  // the first field is on the line of the dash

  void operator()(std::monostate) { out += " null\n"; }
  void operator()(const std::string& text) { out += " " + json_text(text) + "\n"; }
  void operator()(std::int64_t number) { out += " " + std::to_string(number) + "\n"; }
  void operator()(const Document::Fields& fields) {
    if (fields.empty()) return void(out += " {}\n");
    bool first = std::exchange(in_item, false);
    if (!first && !out.empty()) out += "\n";
    for (const auto& [name, value] : fields) {
      out += (first ? " " : indent) + name + ":";
      first = false;
      nested("  ", value, false);
    }
  }
  void operator()(const Document::Items& items) {
    if (items.empty()) return void(out += " []\n");
    out += "\n";
    for (const Document& item : items) {
      out += indent + "-";
      nested("  ", item, true);
    }
  }
  void nested(const char* deeper, const Document& value, bool item) {
    const std::string outer = indent;
    indent += deeper;
    in_item = item;
    std::visit(*this, value.value());
    in_item = false;
    indent = outer;
  }
};

}  // namespace

Document& Document::add(std::string name, Document value) {
  std::get<Fields>(value_).emplace_back(std::move(name), std::move(value));
  return *this;
}

std::string to_json(const Document& document) {
  Json json;
  std::visit(json, document.value());
  return json.out + "\n";
}

std::string to_yaml(const Document& document) {
  Yaml yaml;
  std::visit(yaml, document.value());
  const bool after_nothing = !yaml.out.empty() && (yaml.out.front() == ' ' || yaml.out.front() == '\n');
  return yaml.out.substr(after_nothing ? 1 : 0);
}

}  // namespace ballot::app
