// Fields: readable text of lines "KEY VALUE", as plugins write it into stores and files. What is read may have been
// written by anybody: numbers come back within bounds that can be reckoned with. Pure.
//
//   FieldWriter out;  out.put("pid", 7);  out.put("host", host);  ... out.text()
//   const Fields fields = fields_of(text);  ... number_of(fields, "pid", most)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ballot::support {

using Fields = std::map<std::string, std::string, std::less<>>;

/// Of each key the first line counts; lines without a space do not.
Fields fields_of(std::string_view text);
/// "" where there is none.
std::string field_of(const Fields& fields, std::string_view key);
/// 0 to `most`; 0 where there is none.
std::int64_t number_of(const Fields& fields, std::string_view key, std::int64_t most);

class FieldWriter {
 public:
  /// A value never breaks the line that it is on.
  void put(std::string_view key, std::string_view value);
  void put(std::string_view key, std::int64_t value) { put(key, std::to_string(value)); }
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace ballot::support
