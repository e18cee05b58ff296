#include "app/history/row_document.hpp"

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
  Document operator()(const NameList& names) const { return Document::Items(names.begin(), names.end()); }
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

Document missing_document(const std::vector<library::MissingNode>& missing) {
  Document::Items nodes;
  for (const library::MissingNode& node : missing) {
    Document one = Document::object();
    one.add("node", node.node);
    one.add("last_heard", node.last_heard ? Document(format_millis(*node.last_heard)) : Document());
    one.add("why", node.why).add("heard_by", node.heard_by.empty() ? Document() : Document(node.heard_by));
    nodes.push_back(std::move(one));
  }
  return nodes;
}

void add_alone(Document& document, const library::LedgerView& ledger) {
  if (std::string why = ledger.why_alone(); !why.empty()) document.add("alone", std::move(why));
}

}  // namespace ballot::app
