// Where: the conditions of a statement, and the parameters that they name. Names are those of jobs, groups and nodes.
//
//   Where where;
//   where.add("r.slot >= ", where.bind(since));
//   where.add_names("r.job", filter.jobs);
//   "SELECT ... WHERE " + where.sql()
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "params.hpp"

namespace ballot::postgresql {

class Where {
 public:
  /// What stands for it in the statement.
  template <class T>
  std::string bind(const T& value) {
    params_.add(value);
    return "$" + std::to_string(params_.size());
  }

  template <class... Parts>
  void add(const Parts&... parts) {
    sql_ += sql_.empty() ? "" : " AND ";
    (sql_ += ... += parts);
  }
  /// The column is one of these names; nothing, where there are none.
  void add_names(const std::string& column, const std::vector<std::string>& names) {
    if (!names.empty()) add(column, " = ANY(", ids(names), ")");
  }
  /// The numbers of names, as an array that is made once.
  std::string ids(const std::vector<std::string>& names) {
    return "ARRAY(SELECT id FROM name WHERE text = ANY(" + bind(names) + "))";
  }

  std::string sql() const { return sql_.empty() ? "true" : sql_; }
  Params take_params() { return std::move(params_); }

 private:
  std::string sql_;
  Params params_;
};

}  // namespace ballot::postgresql
