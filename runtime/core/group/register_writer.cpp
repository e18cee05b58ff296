#include "core/group/register_writer.hpp"

#include <utility>

namespace ballot::core {

std::string GroupRegisterWriter::load(const std::optional<Register>& stored) {
  value_ = {};
  version_ = stored ? stored->version : 0;
  is_newer_ = false;
  if (!stored) return "";
  auto parsed = parse_group_register(stored->value);
  if (!parsed) {
    is_newer_ = parsed.error().code == Errc::refused;
    return parsed.error().what;
  }
  value_ = std::move(*parsed);
  return "";
}

void GroupRegisterWriter::begin(GroupRegister value, bool is_changed) {
  value_ = std::move(value);
  is_changed_ = is_changed;
}

void GroupRegisterWriter::end() {
  is_changed_ = is_writing_ = false;
  read_at_.reset();
}

std::optional<RegisterWrite> GroupRegisterWriter::begin_write(const std::string& group, std::uint64_t epoch) {
  is_changed_ = false;
  if (is_newer_) return std::nullopt;
  is_writing_ = true;
  return RegisterWrite{group, epoch, group_register(group), to_text(value_), version_};
}

bool GroupRegisterWriter::on_written(const WriteAnswer& answer) {
  is_writing_ = false;
  if (answer.outcome != StoreResult::done) return false;
  version_ = answer.version;
  return true;
}

void GroupRegisterWriter::on_read(const std::vector<Register>& registers) {
  version_ = registers.empty() ? 0 : registers.front().version;
  is_changed_ = registers.empty() || registers.front().value != to_text(value_);
}

}  // namespace ballot::core
