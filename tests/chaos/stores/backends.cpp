// The backends of this build, each with its store, and the table [coordination] that daemons on it have.
#include "base/duration.hpp"
#include "chaos/stores/store.hpp"

namespace ballot::chaos {

Backend local_backend();
Backend zookeeper_backend();
Backend etcd_backend();
Backend consul_backend();
Backend nats_backend();

std::string coordination(const std::string& backend, const std::string& name_space, Millis timeout) {
  std::string text = "[coordination]\nbackend = \"" + backend + "\"\nallow_open_store = true\n";
  if (!name_space.empty()) text += "namespace = \"" + name_space + "\"\n";
  if (timeout > Millis(0)) text += "session_timeout = \"" + format_duration(timeout) + "\"\n";
  return text;
}

const std::vector<Backend>& backends() {
  static const std::vector<Backend> all{
      local_backend(),
#ifdef BALLOT_WITH_ZOOKEEPER
      zookeeper_backend(),
#endif
#ifdef BALLOT_WITH_ETCD
      etcd_backend(),
#endif
#ifdef BALLOT_WITH_CONSUL
      consul_backend(),
#endif
#ifdef BALLOT_WITH_NATS
      nats_backend(),
#endif
  };
  return all;
}

}  // namespace ballot::chaos
