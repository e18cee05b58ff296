// A backend's handle of its session, as a daemon before may have left it.
#include "harness.hpp"
#include "scratch.hpp"
#include "support/handle_file.hpp"
#include "zookeeper/client_id.hpp"

namespace ballot::fuzz::handle_file_harness {

BALLOT_FUZZ(handle_file) {
  const auto file = support::HandleFile::open(scratch_file("node.session", input, 0600));
  require(static_cast<bool>(file), "it can be opened");
  const auto handle = file->read();
  if (!handle) return;
  require(!handle->session.empty() && handle->pid >= 0, "a handle has a session");
  if (const auto id = zookeeper::client_id_of(*handle)) {
    support::Handle again;
    zookeeper::put_client_id(*id, again);
    require(id->client_id == 0 || zookeeper::client_id_of(again)->client_id == id->client_id,
            "a session's id is read as it was written", handle->session);
  }
  if (handle->session.size() + handle->secret.size() + handle->node.size() > 1024) return;  // 4 KiB are read
  require(file->write(*handle), "it can be written");
  const auto again = file->read();
  require(again && handle_text(*again) == handle_text(*handle) && again->over == handle->over,
          "a handle that is written is read as the same", handle_text(*handle));
  require(support::node_of(handle_text(*again)) == handle->node.substr(0, handle->node.find(' ')), "its node is known",
          handle->node);
}

}  // namespace ballot::fuzz::handle_file_harness
