// A table: columns aligned, numbers to the right, two spaces between. No line wraps: texts are cut, then the last
// columns are left out, which the heading shows by an ellipsis.
#include <algorithm>
#include <numeric>

#include "app/escape.hpp"
#include "app/format_style.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t mark = 2;       // of columns that are left out
constexpr std::size_t narrowest = 8;  // a column of text is not cut to less; a line may be
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

struct Shown {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return escaped(text, Escape::plain); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(WallTime time) const { return format_millis(time); }
  std::string operator()(SlotTime slot) const { return format_slot(slot.at); }
  std::string operator()(const Uncut& time) const { return time.text; }
  std::string operator()(Millis duration) const { return format_duration(std::max(duration, Millis(0))); }
};

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<Millis>(cell);
}

/// Characters, not bytes.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The first `most` characters; the last of them says so where there are more.
std::string cut(const std::string& text, std::size_t most) {
  if (length(text) <= most) return text;
  std::size_t bytes = 0, characters = 0;
  for (; bytes < text.size(); ++bytes)
    if ((text[bytes] & 0xc0) != 0x80 && ++characters == most) break;
  return text.substr(0, bytes) + std::string(ellipsis);
}

class TableStyle : public RecordWriter::Style {
 public:
  TableStyle(std::ostream& out, std::vector<Column> columns, const Layout& layout)
      : out_(out), most_(layout.width), colors_(layout.colors) {
    Line head;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].title.empty()) continue;
      shown_.push_back(i);
      tints_.push_back(columns[i].tint);
      head.push_back({columns[i].title, false});
    }
    widths_.resize(shown_.size());
    numeric_.resize(shown_.size());
    texts_.resize(shown_.size());
    add(std::move(head));
  }

  void row(std::vector<Cell> cells) override {
    Line line;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const Cell& cell = cells[shown_[i]];
      if (is_number(cell)) numeric_[i] = true;
      if (std::holds_alternative<std::string>(cell)) texts_[i] = true;
      line.push_back({std::visit(Shown{}, cell), is_number(cell)});
    }
    add(std::move(line));
  }

  void flush() override {
    const std::vector<std::size_t> widths = fitted();
    for (const Line& line : lines_) {
      print(line, widths, is_heading_);
      is_heading_ = false;
    }
    lines_.clear();
    out_.flush();
  }
  void finish() override { flush(); }

 private:
  struct Field {
    std::string text;
    bool number;
  };
  using Line = std::vector<Field>;

  void add(Line line) {
    for (std::size_t i = 0; i < line.size(); ++i) widths_[i] = std::max(widths_[i], length(line[i].text));
    lines_.push_back(std::move(line));
  }

  /// Of the columns that fit. The widest one of text gives way first; numbers and times never do.
  std::vector<std::size_t> fitted() const {
    std::vector<std::size_t> widths = widths_;
    if (most_ == 0 || widths.empty()) return widths;
    for (; widths.size() > 1; widths.pop_back())
      if (least_total(widths.size()) + (widths.size() < widths_.size() ? mark : 0) <= most_) break;
    const std::size_t room = widths.size() < widths_.size() ? most_ - std::min(most_, mark) : most_;
    const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1)); };
    while (total() > room) {
      std::size_t* widest = nullptr;
      for (std::size_t i = 0; i < widths.size(); ++i)
        if (texts_[i] && widths[i] > (widest != nullptr ? *widest : narrowest)) widest = &widths[i];
      if (widest == nullptr) break;
      --*widest;
    }
    return widths;
  }

  /// How narrow the first `count` columns can be.
  std::size_t least_total(std::size_t count) const {
    std::size_t total = gap * (count - 1);
    for (std::size_t i = 0; i < count; ++i) total += texts_[i] ? std::min(widths_[i], narrowest) : widths_[i];
    return total;
  }

  /// `widths`: of the columns that are shown.
  void print(const Line& line, const std::vector<std::size_t>& widths, bool heading) {
    std::string text, spaces;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string field = cut(line[i].text, most_ == 0 ? widths[i] : std::min(widths[i], most_));
      const std::string space(widths[i] - std::min(widths[i], length(field)), ' ');
      const std::string shown = heading                      ? headed(field, colors_)
                                : tints_[i] == Tint::by_word ? painted(field, colors_)
                                                             : field;
      if (i != 0) spaces.append(gap, ' ');
      if (numeric_[i]) spaces += space;
      text += spaces + shown;
      spaces = numeric_[i] ? "" : space;
    }
    if (heading && widths.size() < widths_.size()) text += ' ' + std::string(ellipsis);
    out_ << text << '\n';
  }

  std::ostream& out_;
  const std::size_t most_;
  const Colors colors_;
  bool is_heading_ = true;          // nothing is printed yet
  std::vector<std::size_t> shown_;  // the columns with a title
  std::vector<Tint> tints_;
  std::vector<std::size_t> widths_;
  std::vector<bool> numeric_, texts_;
  std::vector<Line> lines_;
};

}  // namespace

std::unique_ptr<RecordWriter::Style> table_style(std::ostream& out, std::vector<Column> columns, const Layout& layout) {
  return std::make_unique<TableStyle>(out, std::move(columns), layout);
}

}  // namespace ballot::app
