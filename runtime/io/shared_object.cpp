#include "io/shared_object.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>

namespace ballot {

namespace {

bool is_shared_object(const ElfW(Ehdr) & head) {
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
         head.e_ident[EI_CLASS] == (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32) && head.e_type == ET_DYN &&
         head.e_phentsize == sizeof(ElfW(Phdr));
}

}  // namespace

Result<void> check_shared_object(const std::filesystem::path& file) {
  std::error_code failed;
  const std::uint64_t size = std::filesystem::file_size(file, failed);
  std::ifstream in(file, std::ios::binary);
  if (failed || !in) return Error{Errc::io, "cannot read " + file.string()};
  const auto read = [&in](void* to, std::size_t bytes) {
    return bool(in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
  };
  ElfW(Ehdr) head{};
  if (!read(&head, sizeof head) || !is_shared_object(head))
    return Error{Errc::corrupt, file.string() + " is not a shared object of this machine: install the package again"};
  in.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (int i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read(&segment, sizeof segment) || segment.p_filesz > size || segment.p_offset > size - segment.p_filesz)
      return Error{Errc::corrupt, file.string() + " is cut short: install the package again"};
  }
  return {};
}

}  // namespace ballot
