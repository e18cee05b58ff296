// A table: columns aligned, numbers to the right, two spaces between. No line wraps: slots lose their year, which the
// heading has then; columns are left out, empty ones first, which the heading shows by an ellipsis; a tree loses its
// indent; texts are cut, names of jobs and groups in their middle.
#include <algorithm>
#include <array>
#include <numeric>

#include "app/print/escape.hpp"
#include "app/print/format_style.hpp"
#include "base/duration.hpp"
#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t mark = 2;       // of columns that are left out
constexpr std::size_t narrowest = 8;  // a column of text is not cut to less; a line may be
constexpr std::size_t narrowest_tree = 16;
constexpr std::size_t indent_step = 2;
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

struct Shown {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(const std::string& text) const { return escaped(text, Escape::plain); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(WallTime time) const { return format_millis(time); }
  std::string operator()(SlotTime slot) const { return format_slot(slot.at); }
  std::string operator()(const Uncut& text) const { return text.text; }
  std::string operator()(const LocalSlot& slot) const { return slot.before + slot.text; }
  std::string operator()(Millis duration) const { return format_duration(std::max(duration, Millis(0))); }
  std::string operator()(const NameList& names) const {
    return names.empty() ? "-" : escaped(joined(names), Escape::plain);
  }
};

bool is_text(const Cell& cell) {
  return std::holds_alternative<std::string>(cell) || std::holds_alternative<NameList>(cell);
}

bool is_absent(const Cell& cell) {
  const auto* const names = std::get_if<NameList>(&cell);
  return names ? names->empty() : std::holds_alternative<std::monostate>(cell);
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<Millis>(cell);
}

bool is_slot(const Cell& cell) {
  return std::holds_alternative<SlotTime>(cell) || std::holds_alternative<LocalSlot>(cell);
}

std::size_t length_before(const Cell& cell) {
  const auto* const slot = std::get_if<LocalSlot>(&cell);
  return slot ? slot->before.size() : 0;
}

/// Of RFC 3339: "2025-03-09 07:00:00", or without the year "03-09 07:00:00".
std::string brief_slot(const std::string& text, bool with_year) {
  constexpr std::size_t date = 10, time = 8, year = 5;
  if (text.size() < date + 1 + time) return text;
  return text.substr(with_year ? 0 : year, with_year ? date : date - year) + ' ' + text.substr(date + 1, time);
}

/// Characters, not bytes.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Where that character begins, counted from 0; the end where there are not so many.
std::size_t place_of(const std::string& text, std::size_t character) {
  std::size_t bytes = 0, characters = 0;
  for (; bytes < text.size(); ++bytes)
    if ((text[bytes] & 0xc0) != 0x80 && characters++ == character) break;
  return bytes;
}

/// The first `most` characters; the last of them says so where there are more.
std::string cut(const std::string& text, std::size_t most) {
  if (length(text) <= most) return text;
  return text.substr(0, place_of(text, most - std::min<std::size_t>(most, 1))) + std::string(ellipsis);
}

}  // namespace

/// So that names which begin alike stay apart: the middle goes, and what they begin and end with stays.
std::string cut_name(const std::string& text, std::size_t most) {
  const std::size_t whole = length(text), indent = std::min(text.find_first_not_of(' '), text.size());
  if (whole <= most || most < indent + narrowest) return cut(text, most);
  const std::size_t room = most - indent - 1, behind = room / 2;
  return text.substr(0, place_of(text, most - 1 - behind)) + std::string(ellipsis) +
         text.substr(place_of(text, whole - behind));
}

namespace {

class TableStyle : public RecordWriter::Style {
 public:
  TableStyle(std::ostream& out, std::vector<Column> columns, const Layout& layout)
      : out_(out), most_(layout.width), colors_(layout.colors), columns_(std::move(columns)) {
    Line head;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].title.empty()) continue;
      shown_.push_back(i);
      head.push_back({columns_[i].title});
    }
    sizes_.resize(shown_.size());
    add(std::move(head));
  }

  void row(std::vector<Cell> cells) override {
    Line line;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      const Cell& cell = cells[shown_[i]];
      sizes_[i].is_number = sizes_[i].is_number || is_number(cell);
      sizes_[i].is_text = sizes_[i].is_text || is_text(cell);
      sizes_[i].is_empty = sizes_[i].is_empty && is_absent(cell);
      Field field{std::visit(Shown{}, cell), is_slot(cell), length_before(cell)};
      if (columns_[shown_[i]].shape == Shape::tree)
        field.indent = std::min(field.text.find_first_not_of(' '), field.text.size());
      line.push_back(std::move(field));
      if (is_slot(cell)) add_year(i, line.back());
    }
    add(std::move(line));
  }

  void flush() override {
    const Fit fit = fitted();
    for (const Line& line : lines_) {
      print(line, fit, is_heading_);
      is_heading_ = false;
    }
    lines_.clear();
    out_.flush();
  }
  void finish() override { flush(); }

 private:
  struct Field {
    std::string text;
    bool is_slot = false;
    std::size_t before = 0;  // so much of the text stands before the slot
    std::size_t indent = 0;  // spaces
  };
  using Line = std::vector<Field>;

  /// Of a column.
  struct Size {
    std::size_t width = 0;
    std::array<std::size_t, indent_step> less_indented{};  // the width with so many spaces a step
    std::size_t before = 0;                                // the longest text before a slot
    bool is_number = false, is_text = false;
    bool is_empty = true;    // no row has anything in it
    std::string year = {};   // of its slots; "": it has none
    bool has_years = false;  // it has slots of several
  };

  /// What is printed of the lines.
  struct Fit {
    std::vector<std::size_t> columns;  // those that are not left out
    std::vector<std::size_t> widths;   // of each of these
    bool is_brief = false;             // slots are shortened
    std::size_t indent = indent_step;  // spaces a step of a tree
  };

  void add_year(std::size_t column, const Field& slot) {
    const std::string year = slot.text.substr(slot.before, 4);
    Size& size = sizes_[column];
    size.before = std::max(size.before, slot.before);
    size.has_years = size.has_years || (!size.year.empty() && size.year != year);
    size.year = year;
  }

  void add(Line line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::size_t whole = length(line[i].text), indent = line[i].indent;
      sizes_[i].width = std::max(sizes_[i].width, whole);
      for (std::size_t spaces = 0; spaces < indent_step; ++spaces) {
        std::size_t& less = sizes_[i].less_indented[spaces];
        less = std::max(less, whole - indent + indent / indent_step * spaces);
      }
    }
    lines_.push_back(std::move(line));
  }

  /// Of the heading where slots are shortened.
  std::string brief_title(std::size_t column) const {
    const std::string& title = columns_[shown_[column]].title;
    return sizes_[column].has_years ? title : title + " IN " + sizes_[column].year;
  }

  std::size_t width(std::size_t column, bool is_brief) const {
    const Size& size = sizes_[column];
    if (!is_brief || size.year.empty()) return size.width;
    constexpr std::size_t with_year = 19, without = 14;
    return std::max(length(brief_title(column)), size.before + (size.has_years ? with_year : without));
  }

  static std::size_t sum(const std::vector<std::size_t>& widths) {
    return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  }

  const Column& column_of(std::size_t shown) const { return columns_[shown_[shown]]; }
  bool is_tree(std::size_t shown) const { return column_of(shown).shape == Shape::tree; }
  bool has_names(std::size_t shown) const { return column_of(shown).name == "job" || column_of(shown).name == "group"; }
  std::size_t least_width(std::size_t shown) const { return is_tree(shown) ? narrowest_tree : narrowest; }

  /// How narrow it can be made: texts can be cut.
  std::size_t least_total(const Fit& fit) const {
    std::vector<std::size_t> least = fit.widths;
    for (std::size_t i = 0; i < least.size(); ++i)
      if (const std::size_t shown = fit.columns[i]; sizes_[shown].is_text)
        least[i] = std::min({least[i], sizes_[shown].less_indented[0], least_width(shown)});
    return sum(least) + (fit.columns.size() < shown_.size() ? mark : 0);
  }

  /// A column with nothing in it first, then one that yields, then the last one that may go.
  void leave_one_out(Fit& fit) const {
    const auto rank = [this](std::size_t column) {
      if (column_of(column).room == Room::stays) return 0;
      if (sizes_[column].is_empty) return 3;
      return column_of(column).room == Room::yields ? 2 : 1;
    };
    std::size_t which = fit.columns.size() - 1;
    for (std::size_t i = fit.columns.size(); i-- > 0;)
      if (rank(fit.columns[i]) > rank(fit.columns[which])) which = i;
    leave_out(fit, which);
  }

  static void leave_out(Fit& fit, std::size_t which) {
    fit.columns.erase(fit.columns.begin() + static_cast<std::ptrdiff_t>(which));
    fit.widths.erase(fit.widths.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::size_t room_of(const Fit& fit) const {
    return fit.columns.size() < shown_.size() ? most_ - std::min(most_, mark) : most_;
  }

  /// What yields is cut, and left out where that is not enough; then a tree's steps become smaller.
  void spare_texts(Fit& fit) const {
    for (std::size_t i = fit.columns.size(); i-- > 0 && sum(fit.widths) > room_of(fit);) {
      if (column_of(fit.columns[i]).room != Room::yields) continue;
      const std::size_t others = sum(fit.widths) - fit.widths[i];
      if (others + narrowest <= room_of(fit))
        fit.widths[i] = room_of(fit) - others;
      else
        leave_out(fit, i);
    }
    while (sum(fit.widths) > room_of(fit) && fit.indent > 0) {
      --fit.indent;
      for (std::size_t i = 0; i < fit.columns.size(); ++i)
        if (is_tree(fit.columns[i])) fit.widths[i] = sizes_[fit.columns[i]].less_indented[fit.indent];
    }
  }

  /// The widest column of text gives way first; numbers, slots and ids never do.
  void cut_texts(Fit& fit) const {
    const std::size_t room = room_of(fit);
    while (sum(fit.widths) > room) {
      std::size_t* widest = nullptr;
      for (std::size_t i = 0; i < fit.widths.size(); ++i)
        if (sizes_[fit.columns[i]].is_text && fit.widths[i] > (widest != nullptr ? *widest : narrowest))
          widest = &fit.widths[i];
      if (widest == nullptr) return;
      --*widest;
    }
  }

  Fit fitted() const {
    Fit fit;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      fit.columns.push_back(i);
      fit.widths.push_back(width(i, false));
    }
    if (most_ == 0 || fit.widths.empty() || sum(fit.widths) <= most_) return fit;
    fit.is_brief = true;
    for (std::size_t i = 0; i < shown_.size(); ++i) fit.widths[i] = width(i, true);
    while (fit.columns.size() > 1 && least_total(fit) > most_) leave_one_out(fit);
    spare_texts(fit);
    cut_texts(fit);
    return fit;
  }

  std::string text_of(const Line& line, std::size_t column, const Fit& fit, bool heading) const {
    const bool is_short = fit.is_brief && !sizes_[column].year.empty();
    if (is_short && heading) return brief_title(column);
    const Field& field = line[column];
    if (is_short && field.is_slot)
      return field.text.substr(0, field.before) + brief_slot(field.text.substr(field.before), sizes_[column].has_years);
    return std::string(field.indent / indent_step * fit.indent, ' ') + field.text.substr(field.indent);
  }

  void print(const Line& line, const Fit& fit, bool heading) {
    std::string text, spaces;
    for (std::size_t i = 0; i < fit.columns.size(); ++i) {
      const std::size_t column = fit.columns[i], width = fit.widths[i];
      const std::size_t most = most_ == 0 ? width : std::min(width, most_);
      const std::string whole = text_of(line, column, fit, heading);
      const std::string field = has_names(column) ? cut_name(whole, most) : cut(whole, most);
      const std::string space(width - std::min(width, length(field)), ' ');
      const bool is_painted = columns_[shown_[column]].tint == Tint::by_word;
      const std::string shown = heading ? headed(field, colors_) : is_painted ? painted(field, colors_) : field;
      if (i != 0) spaces.append(gap, ' ');
      if (sizes_[column].is_number) spaces += space;
      text += spaces + shown;
      spaces = sizes_[column].is_number ? "" : space;
    }
    if (heading && fit.columns.size() < shown_.size()) text += ' ' + std::string(ellipsis);
    out_ << text << '\n';
  }

  std::ostream& out_;
  const std::size_t most_;
  const Colors colors_;
  const std::vector<Column> columns_;
  bool is_heading_ = true;          // nothing is printed yet
  std::vector<std::size_t> shown_;  // the columns with a title
  std::vector<Size> sizes_;         // of each of these
  std::vector<Line> lines_;
};

}  // namespace

std::unique_ptr<RecordWriter::Style> table_style(std::ostream& out, std::vector<Column> columns, const Layout& layout) {
  return std::make_unique<TableStyle>(out, std::move(columns), layout);
}

}  // namespace ballot::app
