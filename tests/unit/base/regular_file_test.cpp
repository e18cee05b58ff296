#include "base/regular_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <filesystem>

#include "support/temp_folder.hpp"

namespace ballot {
namespace {

TEST(RegularFiles, AreOpenedAndMade) {
  const TempFolder folder;
  const auto made = open_regular(folder / "new", O_RDWR | O_CREAT, 0640);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->info.st_mode & 0777 & ~0640u, 0u);
  folder.write("text", "12345");
  const auto read = open_regular(folder / "text", O_RDONLY);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->info.st_size, 5);
  EXPECT_EQ(open_regular(folder / "none", O_RDONLY).error().code, Errc::not_found);
}

/// Whatever it is to be opened for.
TEST(RegularFiles, AreNoLinksPipesFoldersDevicesOrSockets) {
  const TempFolder folder;
  folder.write("file", "x");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder / "file", folder / "link");
  std::filesystem::create_symlink("/dev/zero", folder / "zero");
  std::filesystem::create_directory(folder / "folder");
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  for (const char* name : {"fifo", "link", "zero", "folder", "socket"})
    for (const int flags : {O_RDONLY, O_RDWR | O_CREAT, O_WRONLY | O_CREAT}) {
      const auto opened = open_regular(folder / name, flags);
      ASSERT_FALSE(opened) << name;
      EXPECT_EQ(opened.error().code, Errc::refused) << name << ": " << opened.error().what;
      EXPECT_TRUE(opened.error().what.starts_with(folder / name + " is ")) << opened.error().what;
    }
  EXPECT_EQ(open_regular("/dev/null", O_RDWR).error().code, Errc::refused);
}

}  // namespace
}  // namespace ballot
