// FunctionTable: the functions of the program that embeds ballot, by the names that jobs have for them. A job goes by
// the name, so a function that is replaced is another one from the job's next run on.
//
// Thread: the loop's.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ballot/function.hpp"

namespace ballot::io {

class FunctionTable {
 public:
  /// Null takes it out. What was there before: its destructor is the host's, and may take its time.
  std::shared_ptr<const JobFunction> put(const std::string& name, std::shared_ptr<const JobFunction> function) {
    std::shared_ptr<const JobFunction> before = find(name);
    if (function)
      functions_[name] = std::move(function);
    else
      functions_.erase(name);
    return before;
  }

  bool has(std::string_view name) const { return functions_.find(name) != functions_.end(); }
  /// Null: there is none.
  std::shared_ptr<const JobFunction> find(std::string_view name) const {
    const auto at = functions_.find(name);
    return at == functions_.end() ? nullptr : at->second;
  }

 private:
  std::map<std::string, std::shared_ptr<const JobFunction>, std::less<>> functions_;
};

}  // namespace ballot::io
