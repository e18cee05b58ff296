// Document: a small tree of named values, printed as JSON or as YAML with the same names in the same order.
//
//   Document info = Document::object();
//   info.add("group", "nightly").add("epoch", 7);
//   std::cout << to_yaml(info);
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ballot::app {

class Document {
 public:
  using Fields = std::vector<std::pair<std::string, Document>>;
  using Items = std::vector<Document>;

  Document() = default;  // null
  Document(std::string text) : value_(std::move(text)) {}
  Document(const char* text) : value_(std::string(text)) {}
  Document(std::int64_t number) : value_(number) {}
  Document(Items items) : value_(std::move(items)) {}
  static Document object() { return Document(Fields{}); }

  /// Requires: an object.
  Document& add(std::string name, Document value);

  const auto& value() const { return value_; }

 private:
  explicit Document(Fields fields) : value_(std::move(fields)) {}

  std::variant<std::monostate, std::string, std::int64_t, Fields, Items> value_;
};

/// With a line's end. In JSON names are in snake case.
std::string to_json(const Document& document);
std::string to_yaml(const Document& document);

}  // namespace ballot::app
