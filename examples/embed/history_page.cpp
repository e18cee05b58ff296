// History on a host's page: the ledger's rows as HTML, and what its button does: a job that is triggered.
#include <condition_variable>
#include <mutex>
#include <sstream>

#include "example.hpp"

namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string page_of(const ballot::Runtime& runtime) {
  std::ostringstream page;
  page << "<table>\n";
  const auto rows = runtime.history({.limit = 20});
  if (!rows) return "<p>" + escaped(rows.error().what) + "</p>\n";
  for (const ballot::Row& row : *rows) {
    const auto output = runtime.output(row);
    page << "<tr><td>" << escaped(row.job) << "<td>" << ballot::to_string(row.status) << "<td><pre>"
         << (output ? escaped(output->head) : "") << "</pre></tr>\n";
  }
  page << "</table>\n";
  return page.str();
}

}  // namespace

int main(int argc, char** argv) {
  std::mutex mutex;
  std::condition_variable changed;
  bool has_ended = false;

  ballot::RuntimeSettings settings = settings_of(argc, argv);
  // Beside the host's own page the API of docs/api.md: curl --unix-socket STATE_DIR/api.sock http://localhost/readyz
  settings.http.listen = settings.state_dir + "/api.sock";
  ballot::Runtime runtime(settings);
  runtime.on_run_ended([&](const ballot::Row&) {
    const std::lock_guard lock(mutex);
    has_ended = true;
    changed.notify_one();
  });
  require(runtime.add({.name = "hello", .schedule = {}, .command = {"/bin/echo", "<hello>"}}));
  require(runtime.start());
  const auto run = runtime.trigger("hello");  // as the page's button would
  if (!run) return std::cerr << run.error().what << '\n', 1;
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return has_ended; });
  }
  std::cout << page_of(runtime);
  require(runtime.stop());
}
