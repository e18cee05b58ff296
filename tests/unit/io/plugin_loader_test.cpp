#include "io/plugin_loader.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "support/temp_folder.hpp"

namespace ballot {
namespace {

namespace fs = std::filesystem;

/// A plugin folder of its own, which only its owner may write to; below /tmp, which is sticky.
class PluginLoader : public ::testing::Test {
 protected:
  fs::path place(const std::string& name) { return place(name, folder_); }
  fs::path place(const std::string& name, const fs::path& folder) {
    const fs::path file = folder / (name + ".so");
    fs::copy_file(fs::path(BALLOT_ODD_PLUGINS) / (name + ".so"), file);
    ::chmod(file.c_str(), 0644);
    return file;
  }

  /// Of loading it from the test's folder.
  Error refusal(const std::string& name) { return refusal(name, folder_); }
  Error refusal(const std::string& name, const fs::path& folder) {
    const auto loaded = load_plugin(folder, name);
    EXPECT_FALSE(loaded) << name << " was loaded";
    return loaded ? Error{} : loaded.error();
  }

  static bool says(const Error& error, const std::string& text) { return error.what.find(text) != std::string::npos; }

  const TempFolder temp_;
  const fs::path folder_ = temp_.path();
};

#define EXPECT_SAYS(error, text) EXPECT_TRUE(says(error, text)) << (error).what

TEST_F(PluginLoader, LoadsAPluginThatIsAllRight) {
  place("good");
  const auto plugin = load_plugin(folder_, "good");
  ASSERT_TRUE(plugin) << plugin.error().what;
  EXPECT_STREQ((*plugin)->name, "good");
  EXPECT_STREQ((*plugin)->version, "1.2.3");
}

TEST_F(PluginLoader, LoadsTheLocalPluginAsItIsBuilt) {
  const fs::path file = folder_ / "local.so";
  fs::copy_file(BALLOT_LOCAL_PLUGIN, file);
  ::chmod(file.c_str(), 0644);
  const auto plugin = load_plugin(folder_, "local");
  ASSERT_TRUE(plugin) << plugin.error().what;
  const Options wrong{{"pth", std::string("/x")}, {"path", std::int64_t{7}}};
  const auto problems = check_options(wrong, (*plugin)->traits.keys);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_NE(problems[1].text.find("allowed: path"), std::string::npos) << problems[1].text;
  EXPECT_TRUE(check_options({{"path", std::string("/srv/locks")}}, (*plugin)->traits.keys).empty());
}

TEST_F(PluginLoader, LoadsAPluginTwiceAsOne) {
  place("good");
  EXPECT_EQ(*load_plugin(folder_, "good"), *load_plugin(folder_, "good"));
}

TEST_F(PluginLoader, TakesARelativeFolderAndOneBehindALink) {
  place("good");
  const fs::path link = folder_.string() + "-link";
  fs::create_symlink(folder_, link);
  EXPECT_TRUE(load_plugin(link, "good"));
  EXPECT_TRUE(load_plugin(fs::relative(folder_), "good"));
  fs::remove(link);
}

TEST_F(PluginLoader, NamesWhatIsThereAndThePackageOfAMissingPlugin) {
  place("good");
  const Error error = refusal("zookeeper");
  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_SAYS(error, "there: good");
  EXPECT_SAYS(error, "the package ballot-zookeeper");
  EXPECT_SAYS(error, folder_.string());
}

TEST_F(PluginLoader, SaysThatTheFolderIsMissing) {
  const Error error = refusal("local", folder_ / "absent");
  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_SAYS(error, "plugin_dir");
}

TEST_F(PluginLoader, RefusesANameThatLeavesTheFolder) {
  for (const char* name : {"../local", "", "a/b", "Local", "local.so"})
    EXPECT_EQ(refusal(name).code, Errc::invalid) << name;
}

TEST_F(PluginLoader, RefusesAFileThatIsNoSharedObject) {
  std::ofstream(folder_ / "garbage.so") << "this is not ELF";
  ::chmod((folder_ / "garbage.so").c_str(), 0644);
  const Error error = refusal("garbage");
  EXPECT_EQ(error.code, Errc::corrupt);
  EXPECT_SAYS(error, "garbage.so");
  EXPECT_SAYS(error, "is not a shared object");
}

/// The first byte of an ELF file that no segment needs: linkers put names of sections and symbols behind it.
std::uintmax_t end_of_segments(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  ElfW(Ehdr) head{};
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  in.seekg(static_cast<std::streamoff>(head.e_phoff));
  std::uintmax_t end = 0;
  for (int i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    in.read(reinterpret_cast<char*>(&segment), sizeof segment);
    end = std::max<std::uintmax_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

TEST_F(PluginLoader, RefusesASharedObjectThatIsCutShortWhereverItIs) {
  const fs::path file = place("good");
  const std::uintmax_t whole = end_of_segments(file);
  ASSERT_GT(whole, 1000u);
  for (const std::uintmax_t part : {whole - 1, whole / 2, std::uintmax_t{80}, std::uintmax_t{0}}) {
    fs::resize_file(file, part);
    EXPECT_EQ(refusal("good").code, Errc::corrupt) << part;
  }
}

TEST_F(PluginLoader, RefusesAnObjectWithoutTheSymbol) {
  place("no_symbol");
  EXPECT_SAYS(refusal("no_symbol"), "no symbol ballot_plugin_info");
}

TEST_F(PluginLoader, NamesAnUndefinedSymbolBeforeAnythingIsCalled) {
  place("undefined_symbol");
  const Error error = refusal("undefined_symbol");
  EXPECT_EQ(error.code, Errc::corrupt);
  EXPECT_SAYS(error, "defined_nowhere");
}

TEST_F(PluginLoader, RefusesAnotherAbi) {
  place("wrong_abi");
  EXPECT_SAYS(refusal("wrong_abi"), "plugin ABI 99, this ballot has " + std::to_string(plugin_abi));
}

TEST_F(PluginLoader, RefusesAnotherSize) {
  place("wrong_size");
  EXPECT_SAYS(refusal("wrong_size"), "handshake of 8 bytes");
}

TEST_F(PluginLoader, RefusesAnotherToolchain) {
  place("wrong_toolchain");
  EXPECT_SAYS(refusal("wrong_toolchain"), "gcc99 libc++ cxx29");
}

TEST_F(PluginLoader, RefusesAnotherKind) {
  place("wrong_kind");
  EXPECT_SAYS(refusal("wrong_kind"), "'toaster'");
}

TEST_F(PluginLoader, RefusesAFileThatIsNotWhatItsNameSays) {
  place("wrong_name");
  EXPECT_SAYS(refusal("wrong_name"), "'somebody_else'");
}

TEST_F(PluginLoader, RefusesAnEmptyHandshake) {
  place("empty_handshake");
  EXPECT_SAYS(refusal("empty_handshake"), "create is missing");
}

TEST_F(PluginLoader, RefusesAFileThatOthersMayWriteTo) {
  for (const mode_t mode : {0646, 0664}) {
    const fs::path file = place("good");
    ::chmod(file.c_str(), mode);
    const Error error = refusal("good");
    EXPECT_EQ(error.code, Errc::refused);
    EXPECT_SAYS(error, "good.so may be written to by others");
    fs::remove(file);
  }
}

TEST_F(PluginLoader, RefusesAFolderThatOthersMayWriteTo) {
  place("good");
  for (const mode_t mode : {0777, 0775, 01777}) {
    ::chmod(folder_.c_str(), mode);
    const Error error = refusal("good");
    EXPECT_EQ(error.code, Errc::refused);
    EXPECT_SAYS(error, folder_.string() + " may be written to by others");
  }
}

TEST_F(PluginLoader, RefusesAFolderBelowOneThatOthersMayWriteTo) {
  const fs::path open = folder_ / "open";
  const fs::path plugins = open / "plugins";
  fs::create_directories(plugins);
  place("good", plugins);
  ::chmod(plugins.c_str(), 0755);
  ::chmod(open.c_str(), 0777);
  EXPECT_SAYS(refusal("good", plugins), "open may be written to by others");
  ::chmod(open.c_str(), 01777);
  EXPECT_TRUE(load_plugin(plugins, "good")) << "a sticky folder is fine when what lies in it is ours";
}

TEST_F(PluginLoader, RefusesALinkAFolderAndAPipe) {
  const fs::path file = place("good");
  fs::create_symlink(file, folder_ / "link.so");
  fs::create_directory(folder_ / "folder.so");
  ASSERT_EQ(::mkfifo((folder_ / "pipe.so").c_str(), 0600), 0);
  for (const char* name : {"link", "folder", "pipe"}) EXPECT_SAYS(refusal(name), "is not a regular file");
}

TEST_F(PluginLoader, RefusesFilesAndFoldersOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path file = place("good");
  ASSERT_EQ(::chown(file.c_str(), 54321, 54321), 0);
  EXPECT_SAYS(refusal("good"), "belongs to another user");
  ASSERT_EQ(::chown(file.c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(folder_.c_str(), 54321, 54321), 0);
  EXPECT_SAYS(refusal("good"), "belongs to another user");
}

TEST_F(PluginLoader, FindsEveryPluginAndSaysWhatIsWrongWithTheOthers) {
  place("good");
  place("wrong_abi");
  std::ofstream(folder_ / "notes.txt") << "not a plugin";
  const auto found = find_plugins(folder_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].name, "good");
  EXPECT_EQ((*found)[0].version, "1.2.3");
  EXPECT_EQ((*found)[0].problem, "");
  EXPECT_EQ((*found)[1].version, "");
  EXPECT_NE((*found)[1].problem.find("ABI 99"), std::string::npos);
}

}  // namespace
}  // namespace ballot
