// ballot nodes: how the nodes of the fleet are. Its exit code is the answer for scripts, as that of `status`: the worst
// of them.
#include <iostream>
#include <memory>

#include "app/client/ledger_access.hpp"
#include "app/commands/commands.hpp"
#include "app/options/options.hpp"
#include "base/wall_text.hpp"
#include "io/control_client.hpp"

namespace ballot::app {
namespace {

constexpr std::chrono::seconds nodes_patience(5);  // the daemon asks the store for 2 s
constexpr auto no_answer_of_daemon = static_cast<Exit>(3);

struct NodesOptions {
  ConfigOptions config;
  Format format = Format::table;
};

std::string in_words(const std::vector<std::string>& texts, const char* between) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : between) + one;
  return text;
}

/// In a table what matters most comes first.
std::vector<Column> nodes_columns(Format format) {
  if (format == Format::table)
    return {{"node", "NODE", Tint::plain, Room::stays},
            {"state", "STATE", Tint::by_word, Room::stays},
            {"last_heard", "LAST HEARD"},
            {"leads", "LEADS"},
            {"version", "VERSION"},
            {"reasons", "WHY"}};
  return {{"node"}, {"state"}, {"last_heard"}, {"version"}, {"host"}, {"leads"}, {"reasons"}};
}

Cell last_heard(const io::Message& node) {
  const auto at = parse_wall(node.text("last_heard").value_or(""));
  return at ? Cell(*at) : Cell();
}

void print_row(const io::Message& node, Format format, RecordWriter& out) {
  const Cell state = word(node.text("state").value_or("")), version = word(node.text("version").value_or(""));
  const Cell leads = word(in_words(node.texts("leads"), " ")), why = word(in_words(node.texts("reasons"), "; "));
  const std::string name = node.text("node").value_or("");
  if (format == Format::table)
    out.row({name, state, last_heard(node), leads, version, why});
  else
    out.row({name, state, last_heard(node), version, word(node.text("host").value_or("")), leads, why});
}

/// Lists stay lists.
void print_nodes_json(const std::vector<io::Message>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) std::cout << (i == 0 ? "[\n" : ",\n") << io::encode(nodes[i]);
  std::cout << (nodes.empty() ? "[]\n" : "\n]\n");
}

Exit exit_of(const std::string& worst) {
  if (worst == "healthy") return Exit::done;
  return worst == "degraded" ? Exit::failed : static_cast<Exit>(2);
}

Exit run(const NodesOptions& options) {
  const auto config = load_config(options.config);
  if (!config) return no_answer_of_daemon;
  io::Message question;
  question.set("do", "nodes");
  const auto answer = io::ask_once(config->control_socket, question, nodes_patience);
  if (!answer) {
    fail("nodes", answer.error());
    return no_answer_of_daemon;
  }
  const std::vector<io::Message> nodes = answer->objects("nodes");
  if (options.format == Format::json) {
    print_nodes_json(nodes);
  } else {
    RecordWriter out(std::cout, nodes_columns(options.format), stdout_layout(options.format));
    for (const io::Message& node : nodes) print_row(node, options.format, out);
    out.finish();
  }
  return exit_of(answer->text("state").value_or(""));
}

}  // namespace

Run setup_nodes(CLI::App& command) {
  auto options = std::make_shared<NodesOptions>();
  add_config_options(command, options->config);
  add_format_option(command, options->format);
  return [options] { return run(*options); };
}

}  // namespace ballot::app
