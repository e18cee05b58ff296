#include "support/handle_store.hpp"

#include <utility>

namespace ballot::support {

HandleStore::HandleStore(std::string folder, std::string prefix, std::string root, Host& host)
    : folder_(std::move(folder)), prefix_(std::move(prefix)), root_(std::move(root)), host_(host) {}

Result<std::optional<Handle>> HandleStore::take(const SessionRequest& request) {
  auto file = HandleFile::open(folder_ + "/" + prefix_ + request.node + ".session");
  if (!file && file.error().code == Errc::conflict && !request.anew) return file.error();
  if (!file)
    host_.log(Level::warn, file.error().what + ": after a crash the old session must end by itself");
  else
    file_ = std::move(*file);
  if (request.generation <= 1) HandleFile::remove_old(folder_, prefix_);
  std::optional<Handle> before = file_ ? file_->read() : left_;
  const bool ours = before && before->root == root_ && before->node == request.node &&
                    before->boot_id == request.boot_id && before->machine_id == request.machine_id;
  if (!ours || request.anew) before.reset();
  return before;
}

void HandleStore::keep(const Handle& handle) {
  if (file_ && !file_->write(handle)) host_.log(Level::warn, "the session cannot be written down: check the disk");
}

void HandleStore::leave(Rest rest, Handle handle) {
  left_.reset();
  if (rest == Rest::nothing || handle.session.empty()) {
    if (file_) file_->remove();
    return;
  }
  handle.over = rest == Rest::uncertain;
  if (file_) file_->write(handle);
  left_ = std::move(handle);
}

}  // namespace ballot::support
