#include "paths.hpp"

#include <charconv>

namespace ballot::zookeeper {

std::optional<Place> parse_place(std::string_view name) {
  const auto dash = name.find('-');
  if (dash == 0 || dash == std::string_view::npos) return std::nullopt;
  Place place{std::string(name.substr(0, dash)), 0};
  const std::string_view number = name.substr(dash + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), place.sequence);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  return place;
}

bool before(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b)) < 0;
}

Paths::Paths(const std::string& chroot, const std::string& name_space) {
  for (std::size_t slash = chroot.find('/', 1); slash != std::string::npos; slash = chroot.find('/', slash + 1))
    folders_.push_back(chroot.substr(0, slash));
  if (!chroot.empty()) folders_.push_back(chroot);
  const std::string root = chroot + "/" + name_space;
  groups_ = root + "/e";
  members_ = root + "/m";
  registers_ = root + "/r";
  for (const std::string& folder : {root, groups_, members_, registers_}) folders_.push_back(folder);
}

std::string Paths::escaped(const std::string& rest) { return rest[0] == '.' ? "%" + rest : rest; }

std::string Paths::unescaped(const std::string& name) { return name[0] == '%' ? name.substr(1) : name; }

std::string Paths::of_register(const std::string& name) const {
  return letter(name[0]) + "/" + escaped(name.substr(2));
}

std::string Paths::group_of(const std::string& path) const {
  if (path.compare(0, groups_.size() + 1, groups_ + "/") != 0) return {};
  const auto slash = path.find('/', groups_.size() + 1);
  return slash == std::string::npos ? "" : path.substr(groups_.size() + 1, slash - groups_.size() - 1);
}

bool Paths::watches_registers(const std::string& path, char& letter) const {
  if (path.compare(0, registers_.size(), registers_) != 0) return false;
  letter = path.size() > registers_.size() + 1 ? path[registers_.size() + 1] : '\0';
  return true;
}

}  // namespace ballot::zookeeper
