// RecordWriter::Style: one way to print records. Internal to format*.cpp.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/print/format.hpp"

namespace ballot::app {

class RecordWriter::Style {
 public:
  virtual ~Style() = default;
  virtual void row(std::vector<Cell> cells) = 0;
  virtual void flush() {}
  virtual void remark(const RecordWriter::Fields&) {}
  virtual void finish() {}
};

std::unique_ptr<RecordWriter::Style> table_style(std::ostream& out, std::vector<Column> columns, const Layout& layout);

}  // namespace ballot::app
