// PartFile: a new file that has its name only once it is whole: until then it lies beside it as FILE.part, and replaces
// what an earlier attempt has left there. Threads: any.
//
//   PartFile file("/root/move.txt");
//   if (const auto written = file.write(text); !written) return fail(written.error());
//   ... what is to be done before anybody can take the file for whole ...
//   if (const auto shown = file.publish(); !shown) return fail(shown.error());
#pragma once

#include <string>

#include "ballot/error.hpp"

namespace ballot::app {

class PartFile {
 public:
  explicit PartFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {}

  /// Nothing lies at its name. Errors: refused.
  Result<void> require_free() const;
  /// With mode 0600, and on the disk. Errors: refused (a link, or no regular file), io.
  Result<void> write(const std::string& text) const;
  /// Errors: refused (something has its name by now), io.
  Result<void> publish() const;
  void remove() const;

 private:
  std::string path_, part_;
};

}  // namespace ballot::app
