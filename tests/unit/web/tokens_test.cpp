// Tokens and their file.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "http/token_file.hpp"
#include "support/temp_folder.hpp"

namespace ballot::web {
namespace {

const std::string hash_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Tokens, AreFoundByWhatIsHashedToTheirLine) {
  const auto tokens =
      Tokens::parse("# CI and people\n\n  ci\tviewer " + hash_of_abc + "\r\nops operator " + std::string(64, '0'));
  ASSERT_TRUE(tokens) << tokens.error().what;
  ASSERT_NE(tokens->find("abc"), nullptr);
  EXPECT_EQ(tokens->find("abc")->name, "ci");
  EXPECT_EQ(tokens->find("abc")->role, io::Role::viewer);
  for (const char* unknown : {"", "ab", "abcd", hash_of_abc.c_str(), "ci"}) EXPECT_EQ(tokens->find(unknown), nullptr);
  EXPECT_EQ(tokens->find(std::string(longest_token + 1, 'a')), nullptr);
}

TEST(Tokens, OfAFileThatIsWrongAreNoneAndTheLineIsNamedAndNothingOfItsSecret) {
  const auto error_of = [](const std::string& text) {
    const auto tokens = Tokens::parse(text);
    return tokens ? "" : tokens.error().what;
  };
  const std::string good = "ci viewer " + hash_of_abc + "\n";
  EXPECT_EQ(error_of(good), "");
  EXPECT_EQ(error_of(good + "x viewer"), "line 2: a line has three words: NAME ROLE SHA256-OF-TOKEN");
  EXPECT_EQ(error_of("\n\nx root " + hash_of_abc),
            "line 3: the second word is no role; there are viewer, operator and admin");
  EXPECT_NE(error_of("x none " + hash_of_abc), "");
  EXPECT_EQ(error_of("x ballot_secret viewer").find("ballot_secret"), std::string::npos) << "words in a wrong order";
  EXPECT_EQ(error_of("ballot_secret viewer x").find("ballot_secret"), std::string::npos);
  EXPECT_NE(error_of(good + "ci admin " + std::string(64, '1')), "") << "a name twice";
  EXPECT_NE(error_of(good + "cd admin " + hash_of_abc), "") << "a token twice";
  EXPECT_NE(error_of("-x viewer " + hash_of_abc), "");
  EXPECT_NE(error_of("x/y viewer " + hash_of_abc), "");
  EXPECT_EQ(error_of("x viewer ballot_secret").find("ballot_secret"), std::string::npos);
  EXPECT_NE(error_of("x viewer ballot_secret"), "");
  std::string many;
  for (std::size_t i = 0; i <= most_tokens; ++i) {
    std::string number = std::to_string(i);
    many += "t" + number + " viewer " + std::string(64 - number.size(), '0') + number + "\n";
  }
  EXPECT_EQ(error_of(many), "line 1001: there are more than 1000 tokens");
}

TEST(Tokens, ThatAreMadeAreNewAndFoundByTheirLine) {
  const auto one = new_token(), two = new_token();
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  EXPECT_TRUE(one->starts_with("ballot_"));
  EXPECT_EQ(one->size(), 7u + 43u);
  const auto tokens = Tokens::parse(token_line("ci", io::Role::operator_, *one));
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->find(*one)->role, io::Role::operator_);
  EXPECT_EQ(tokens->find(*two), nullptr);
}

class TokenFiles : public ::testing::Test {
 protected:
  void write(const std::string& text, mode_t mode = 0600) const {
    folder_.write("new", text);
    ::chmod((folder_ / "new").c_str(), mode);
    std::filesystem::rename(folder_ / "new", path_);
  }
  const TempFolder folder_;
  const std::string path_ = folder_ / "tokens";
};

TEST_F(TokenFiles, AreReadAgainWhenTheyChangeAndOnlyThen) {
  write("ci viewer " + hash_of_abc);
  auto file = TokenFile::open(path_);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file->refresh(), TokenFile::Refreshed::same);
  write("ci admin " + hash_of_abc);
  EXPECT_EQ(*file->refresh(), TokenFile::Refreshed::changed);
  EXPECT_EQ(file->tokens().find("abc")->role, io::Role::admin);
}

TEST_F(TokenFiles, ThatBecomeWrongChangeNothingAndAreAnErrorOnce) {
  write("ci viewer " + hash_of_abc);
  auto file = TokenFile::open(path_);
  ASSERT_TRUE(file);
  write("ci viewer");
  const auto read = file->refresh();
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find(path_ + ": line 1: "), std::string::npos) << read.error().what;
  EXPECT_TRUE(file->refresh());
  EXPECT_EQ(file->fault().find("tokens: " + path_ + ": line 1: "), 0U) << file->fault();
  EXPECT_NE(file->tokens().find("abc"), nullptr);
  std::filesystem::remove(path_);
  EXPECT_FALSE(file->refresh());
  EXPECT_NE(file->tokens().find("abc"), nullptr);
}

TEST_F(TokenFiles, WhoseReadingFailedAreReadAsSoonAsTheyCanBe) {
  write("ci viewer " + hash_of_abc);
  auto file = TokenFile::open(path_);
  ASSERT_TRUE(file);
  write("# none any more");
  ::chmod(folder_.path().c_str(), 0770);  // nothing of the file itself changes with it
  EXPECT_EQ(file->refresh().error().code, Errc::refused);
  EXPECT_EQ(*file->refresh(), TokenFile::Refreshed::same) << "each reason is told once";
  std::filesystem::remove(path_);
  EXPECT_EQ(file->refresh().error().code, Errc::invalid) << "and so is another one";
  write("# none any more");
  EXPECT_EQ(file->refresh().error().code, Errc::refused);
  EXPECT_NE(file->tokens().find("abc"), nullptr);
  ::chmod(folder_.path().c_str(), 0700);
  EXPECT_EQ(*file->refresh(), TokenFile::Refreshed::changed);
  EXPECT_EQ(file->tokens().find("abc"), nullptr) << "a token that was taken away";
  EXPECT_EQ(*file->refresh(), TokenFile::Refreshed::same);
}

TEST_F(TokenFiles, ThatOthersMayReadOrWriteAreNotUsed) {
  for (const mode_t mode : {0640, 0604, 0620, 0602}) {
    write("ci viewer " + hash_of_abc, mode);
    EXPECT_EQ(TokenFile::open(path_).error().code, Errc::refused) << mode;
  }
  std::filesystem::remove(path_);
  EXPECT_EQ(TokenFile::open(path_).error().code, Errc::invalid);
  std::filesystem::create_symlink(folder_ / "elsewhere", path_);
  EXPECT_FALSE(TokenFile::open(path_));
}

TEST(TokenFile, OfALineThatHasNoSpaceNoPartIsAdded) {
  const TempFolder folder;
  const std::string file = folder / "tokens", good = "ci viewer " + hash_of_abc;
  ASSERT_TRUE(add_token(file, good));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit room_for_a_part{good.size() + 11, before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &room_for_a_part), 0);
  const auto added = add_token(file, "cd viewer " + std::string(64, '0'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().what.find("File too large"), std::string::npos) << added.error().what;
  std::ifstream text(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(text), {}), good + "\n");
  EXPECT_TRUE(add_token(file, "cd viewer " + std::string(64, '0')));
}

TEST(TokenFile, IsNotMadeWhereOthersMayWrite) {
  const TempFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  const auto added = add_token(folder / "tokens", "ci viewer " + hash_of_abc);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::refused);
  EXPECT_FALSE(std::filesystem::exists(folder / "tokens"));
}

}  // namespace
}  // namespace ballot::web
