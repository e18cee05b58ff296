#include "simulation/store_contents.hpp"

#include <algorithm>
#include <utility>

namespace ballot::simulation {
namespace {

constexpr std::size_t longest_value = 8 * 1024;

WriteAnswer refused(StoreResult outcome, std::uint64_t version, std::string text) {
  return {outcome, version, std::move(text)};
}

}  // namespace

std::optional<WriteAnswer> StoreContents::fault_of(const RegisterWrite& write) const {
  if (write.value.size() > longest_value) return refused(StoreResult::failed, 0, "more than 8 KB: " + write.name);
  if (records.contains(write.name)) return refused(StoreResult::failed, 0, "a record's name: " + write.name);
  return std::nullopt;
}

std::uint64_t StoreContents::version_of(const std::string& name) const {
  const auto found = registers.find(name);
  return found == registers.end() ? 0 : found->second.version;
}

WriteAnswer StoreContents::write(const RegisterWrite& write) {
  if (auto fault = fault_of(write)) return *std::move(fault);
  const std::uint64_t present = version_of(write.name);
  if (present != write.version) return refused(StoreResult::conflict, present, {});
  const std::uint64_t version = ++revision;
  registers[write.name] = {write.name, write.value, version};
  return {StoreResult::done, version, {}};
}

WriteAnswer StoreContents::create(const Record& record) {
  if (record.value.size() > longest_value) return refused(StoreResult::failed, 0, "more than 8 KB: " + record.name);
  if (registers.contains(record.name)) return refused(StoreResult::conflict, 0, "a register's name");
  const auto [made, created] = records.try_emplace(record.name);
  if (!created) return refused(StoreResult::conflict, made->second.version, {});
  made->second = {record.name, record.value, ++revision};
  return {StoreResult::done, made->second.version, {}};
}

bool StoreContents::remove(const std::string& record) {
  if (records.erase(record) == 0) return false;
  ++revision;
  return true;
}

std::vector<Register> StoreContents::read(const std::vector<std::string>& names) const {
  std::vector<Register> found;
  for (const auto& name : names)
    for (const auto* all : {&registers, &records})
      if (const auto entry = all->find(name); entry != all->end()) found.push_back(entry->second);
  return found;
}

std::vector<Register> StoreContents::list(const std::string& prefix) const {
  std::vector<Register> found;
  for (const auto* all : {&registers, &records})
    for (auto entry = all->lower_bound(prefix); entry != all->end() && entry->first.starts_with(prefix); ++entry)
      found.push_back(entry->second);
  std::sort(found.begin(), found.end(), [](const Register& a, const Register& b) { return a.name < b.name; });
  return found;
}

}  // namespace ballot::simulation
