#include "app/row_document.hpp"

#include "base/wall_text.hpp"

namespace ballot::app {
namespace {

struct AsDocument {
  Document operator()(std::monostate) const { return {}; }
  Document operator()(const std::string& text) const { return text; }
  Document operator()(std::int64_t number) const { return number; }
  Document operator()(WallTime time) const { return format_millis(time); }
  Document operator()(SlotTime slot) const { return format_slot(slot.at); }
  Document operator()(const Uncut& text) const { return Document(text.text); }
  Document operator()(const LocalSlot& slot) const { return Document(slot.text); }
  Document operator()(Millis duration) const { return std::int64_t{duration.count()}; }
};

}  // namespace

Document row_document(const Row& row, RowSource source) {
  Document document = Document::object();
  const auto columns = history_columns(Format::json);
  const auto cells = history_cells(row, Format::json);
  for (std::size_t i = 0; i < columns.size(); ++i) document.add(columns[i].name, std::visit(AsDocument(), cells[i]));
  if (source == RowSource::store) document.add("evidence", "store");
  return document;
}

}  // namespace ballot::app
