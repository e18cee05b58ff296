// Names of nodes in ZooKeeper, a line each: anybody can make one.
#include <algorithm>

#include "harness.hpp"
#include "zookeeper/paths.hpp"

namespace ballot::fuzz::zookeeper_harness {
namespace {

using namespace zookeeper;

void look_at_name(const std::string& name) {
  const Paths paths("/team/ballot", "test");
  if (const auto place = parse_place(name)) {
    require(name.starts_with(place->session + "-") && !place->session.empty(), "a place is of a session", name);
    require(!before(place->sequence, place->sequence), "nobody is before himself", name);
  }
  char letter = '\0';
  for (const std::string& path : {name, paths.groups() + "/" + name, paths.registers() + "/" + name}) {
    const std::string group = paths.group_of(path);
    require(group.empty() || path.starts_with(paths.group(group) + "/"), "a candidate is in its group's folder", path);
    paths.watches_registers(path, letter);
  }
  require(name.empty() || Paths::unescaped(Paths::escaped(name)) == name || name.front() == '%',
          "a name comes back as it was", name);
  Paths::unescaped(name);
}

}  // namespace

BALLOT_FUZZ(zookeeper) {
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    look_at_name(std::string(input.substr(0, end)));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
}

}  // namespace ballot::fuzz::zookeeper_harness
