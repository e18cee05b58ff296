#include "http/page_routes.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "http/header_values.hpp"
#include "http/page_files.hpp"
#include "http/tag.hpp"

namespace ballot::web {
namespace {

const PageFile* find(std::string_view name) {
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(), [&](const PageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

/// Computed once: nobody needs a token to ask for a file.
const std::string& tag_of_file(std::string_view bytes) {
  static const auto tags = [] {
    std::map<const char*, std::string> all;
    for (const PageFile& file : page_files())
      for (const std::string_view coded : {file.text, file.packed}) all[coded.data()] = tag_of(coded);
    return all;
  }();
  return tags.at(bytes.data());
}

/// Asked for anew each time, so that a newer ballot's page is never mixed with this one's.
void answer(const ExchangePtr& exchange, std::string_view name) {
  const PageFile* const file = find(name);
  if (file == nullptr) return exchange->finish(problem(404, "the page has no such file"));
  const bool is_packed = accepts_coding(exchange->request().header("accept-encoding").value_or(""), "gzip");
  const std::string_view bytes = is_packed ? file->packed : file->text;
  HttpResponse response{.content_type = std::string(file->type), .body = std::string(bytes)};
  response = tagged(exchange->request(), std::move(response), "no-cache", tag_of_file(bytes));
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (is_packed && response.status == 200) response.headers.emplace_back("Content-Encoding", "gzip");
  exchange->finish(std::move(response));
}

}  // namespace

Routes page_routes() {
  return {{Method::get, "/", io::Role::none, [](const ExchangePtr& exchange) { answer(exchange, "index.html"); }},
          {Method::get, "/page/{file...}", io::Role::none,
           [](const ExchangePtr& exchange) { answer(exchange, exchange->request().parameter("file")); }}};
}

}  // namespace ballot::web
