#include "core/record/move_marks.hpp"

#include "core/record/record_text.hpp"

namespace ballot::core {
namespace {

constexpr std::size_t digest_digits = 64;

std::string digest_of(Words& words) {
  const std::string_view text = words.word();
  words.require(text.size() == digest_digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
  return std::string(text);
}

constexpr Field<MoveMark> mark_fields[] = {
    {"id", Times::once, [](MoveMark& m, Words& w) { m.id = w.keep(RunId::parse(w.word())); }},
    {"at", Times::once, [](MoveMark& m, Words& w) { m.at = w.time(); }},
    {"by", Times::at_most_once, [](MoveMark& m, Words& w) { m.by = w.line(); }},
    {"to", Times::at_most_once, [](MoveMark& m, Words& w) { m.to = w.line(); }},
    {"digest", Times::at_most_once, [](MoveMark& m, Words& w) { m.digest = digest_of(w); }},
    {"epochs", Times::at_most_once, [](MoveMark& m, Words& w) { m.epochs = w.number<std::uint64_t>(0, highest_base); }},
    {"import", Times::at_most_once, [](MoveMark& m, Words& w) { m.import = w.keep(RunId::parse(w.word())); }},
};

constexpr TextForm<MoveMark> mark_form{"the mark of a move", mark_fields, nullptr};

constexpr Field<EpochMark> epoch_fields[] = {
    {"base", Times::once, [](EpochMark& m, Words& w) { m.base = w.number<std::uint64_t>(0, highest_base); }},
};

constexpr TextForm<EpochMark> epoch_form{"the base of epochs", epoch_fields, nullptr};

}  // namespace

std::string_view move_word(std::string_view halted) {
  if (!halted.starts_with(halted_by_move)) return {};
  return halted.substr(halted_by_move.size()).starts_with(was_moved) ? "moved" : "moving";
}

std::string to_text(const MoveMark& mark) {
  std::string text(heading);
  text += "\n";
  line(text, "id", mark.id.text());
  line(text, "at", format_millis(mark.at));
  if (!mark.by.empty()) free_line(text, "by", mark.by);
  if (!mark.to.empty()) free_line(text, "to", mark.to);
  if (!mark.digest.empty()) line(text, "digest", mark.digest);
  if (mark.epochs > 0) line(text, "epochs", std::to_string(mark.epochs));
  if (mark.import != RunId{}) line(text, "import", mark.import.text());
  return text;
}

std::string to_text(const EpochMark& mark) {
  std::string text(heading);
  text += "\n";
  line(text, "base", std::to_string(mark.base));
  return text;
}

Result<MoveMark> parse_move_mark(std::string_view text) { return parse_text(mark_form, text); }
Result<EpochMark> parse_epoch_mark(std::string_view text) { return parse_text(epoch_form, text); }

}  // namespace ballot::core
