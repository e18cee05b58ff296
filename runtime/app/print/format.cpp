#include "app/print/format.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "app/print/escape.hpp"
#include "app/print/format_style.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

/// A cell as JSON and CSV have it: numbers bare, the rest as text.
struct Plain {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(WallTime time) const { return format_millis(time); }
  std::string operator()(SlotTime slot) const { return format_slot(slot.at); }
  std::string operator()(const Uncut& text) const { return text.text; }
  std::string operator()(const LocalSlot& slot) const { return slot.text; }
  std::string operator()(Millis duration) const { return std::to_string(duration.count()); }
  std::string operator()(const NameList& names) const { return joined(names); }
};

std::string json_list(const NameList& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + json_text(name);
  return '[' + list + ']';
}

std::string json_value(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "null";
  if (const auto* const names = std::get_if<NameList>(&cell)) return json_list(*names);
  const std::string plain = std::visit(Plain{}, cell);
  const bool bare = std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<Millis>(cell);
  return bare ? plain : json_text(plain);
}

std::string csv_value(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

class JsonStyle : public RecordWriter::Style {
 public:
  using Fields = RecordWriter::Fields;

  JsonStyle(std::ostream& out, std::vector<Column> columns, bool follow)
      : out_(out), columns_(std::move(columns)), follow_(follow) {}

  void row(std::vector<Cell> cells) override {
    Fields fields;
    for (std::size_t i = 0; i < columns_.size(); ++i) fields.emplace_back(columns_[i].name, std::move(cells[i]));
    remark(fields);
  }
  void remark(const Fields& fields) override {
    if (!follow_) out_ << (first_ ? "[\n" : ",\n");
    first_ = false;
    for (std::size_t i = 0; i < fields.size(); ++i)
      out_ << (i == 0 ? "{" : ",") << json_text(fields[i].first) << ':' << json_value(fields[i].second);
    out_ << (follow_ ? "}\n" : "}");
  }
  void flush() override { out_.flush(); }
  void finish() override {
    if (!follow_) out_ << (first_ ? "[]\n" : "\n]\n");
    out_.flush();
  }

 private:
  std::ostream& out_;
  std::vector<Column> columns_;
  bool follow_;
  bool first_ = true;
};

class CsvStyle : public RecordWriter::Style {
 public:
  CsvStyle(std::ostream& out, const std::vector<Column>& columns) : out_(out) {
    for (std::size_t i = 0; i < columns.size(); ++i) out_ << (i == 0 ? "" : ",") << csv_value(columns[i].name);
    out_ << '\n';
  }

  void row(std::vector<Cell> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i)
      out_ << (i == 0 ? "" : ",") << csv_value(std::visit(Plain{}, cells[i]));
    out_ << '\n';
  }
  void flush() override { out_.flush(); }
  void finish() override { out_.flush(); }

 private:
  std::ostream& out_;
};

std::unique_ptr<RecordWriter::Style> make_style(std::ostream& out, std::vector<Column> columns, const Layout& layout) {
  switch (layout.format) {
    case Format::table: return table_style(out, std::move(columns), layout);
    case Format::json: return std::make_unique<JsonStyle>(out, std::move(columns), layout.follow);
    case Format::csv: break;
  }
  return std::make_unique<CsvStyle>(out, columns);
}

}  // namespace

std::string joined(const NameList& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::optional<Format> parse_format(std::string_view word) {
  if (word == "table") return Format::table;
  if (word == "json") return Format::json;
  if (word == "csv") return Format::csv;
  return std::nullopt;
}

RecordWriter::RecordWriter(std::ostream& out, std::vector<Column> columns, Layout layout)
    : style_(make_style(out, std::move(columns), layout)) {}
RecordWriter::~RecordWriter() = default;

void RecordWriter::row(std::vector<Cell> cells) { style_->row(std::move(cells)); }
void RecordWriter::flush() { style_->flush(); }
void RecordWriter::remark(const Fields& fields) { style_->remark(fields); }
void RecordWriter::finish() { style_->finish(); }

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

Layout stdout_layout(Format format, bool follow) { return {format, follow, terminal_width(), terminal_colors()}; }

}  // namespace ballot::app
