// The files of the page (runtime/http/page), as the build has put them into the program.
//
// Plain values.
#pragma once

#include <span>
#include <string_view>

namespace ballot::web {

struct PageFile {
  std::string_view name;    // below the folder: "vendor/htm/htm.js"
  std::string_view type;    // "text/css; charset=utf-8"
  std::string_view text;    // as it is
  std::string_view packed;  // by gzip
};

/// By name.
std::span<const PageFile> page_files();

}  // namespace ballot::web
