// The page's files, as a browser gets them.
#include <boost/crc.hpp>
#include <regex>

#include "http/page_files.hpp"
#include "http/page_routes.hpp"
#include "unit/web/web_server.hpp"

namespace ballot::web {
namespace {

/// RFC 1952: two bytes at the beginning, at the end the checksum and the length of what was compressed.
bool is_gzip_of(std::string_view packed, std::string_view text) {
  if (packed.size() < 18 || !packed.starts_with("\x1f\x8b")) return false;
  const auto number_at = [&](std::size_t from_end) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
      number |= std::uint32_t{static_cast<unsigned char>(packed[packed.size() - from_end + i])} << 8 * i;
    return number;
  };
  boost::crc_32_type sum;
  sum.process_bytes(text.data(), text.size());
  return number_at(8) == sum.checksum() && number_at(4) == text.size();
}

struct Page : WebServer {
  ~Page() override { server.reset(); }
};

TEST_F(Page, IsForEverybodyAndSaysThatNothingFromElsewhereIsLoaded) {
  serve(page_routes());
  const auto response = client().ask("GET /");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(response.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_NE(response.body.find("<!doctype html>"), std::string::npos);
  EXPECT_EQ(asked, 0) << "the daemon is asked nothing";
}

TEST_F(Page, EachFileIsThereAsItIsAndCompressed) {
  serve(page_routes());
  for (const PageFile& file : page_files()) {
    const std::string line = "GET /page/" + std::string(file.name);
    const auto plain = client().ask(line), packed = client().ask(line, {"Accept-Encoding: br, gzip;q=0.8"});
    EXPECT_EQ(plain.body, file.text) << file.name;
    EXPECT_EQ(plain.header("Content-Encoding"), "") << file.name;
    EXPECT_EQ(packed.body, file.packed) << file.name;
    EXPECT_TRUE(is_gzip_of(packed.body, file.text)) << file.name;
    EXPECT_EQ(packed.header("Content-Encoding"), "gzip") << file.name;
    EXPECT_EQ(packed.header("Vary"), "Accept-Encoding") << file.name;
    EXPECT_EQ(client().ask(line, {"Accept-Encoding: gzip;q=0"}).body, file.text) << file.name;
  }
}

/// All views, with the libraries.
TEST_F(Page, IsAtMost120KilobytesInAll) {
  std::size_t bytes = 0;
  for (const PageFile& file : page_files()) bytes += file.packed.size();
  EXPECT_LE(bytes, 120'000u);
}

TEST_F(Page, IsNotSentAgainToWhoeverHasIt) {
  serve(page_routes());
  const std::string tag = client().ask("GET /").header("ETag");
  const auto again = client().ask("GET /", {"If-None-Match: " + tag});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(again.body, "");
  EXPECT_EQ(again.header("Cache-Control"), "no-cache");
}

TEST_F(Page, IsSentAsOftenAsTheApiAnswersAndNoProbeOfHealthIsRefusedForIt) {
  serve(page_routes(), {.asker = {0.001, 3}});
  for (const char* path : {"/", "/page/app.js", "/page/app.js"})
    EXPECT_EQ(client().ask(std::string("GET ") + path).status, 200) << path;
  for (const char* path : {"/", "/page/app.js"}) {
    const auto refused = client().ask(std::string("GET ") + path);
    EXPECT_EQ(refused.status, 429) << path;
    EXPECT_EQ(refused.header("Retry-After"), "1") << path;
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client().ask("GET /healthz").status, 200);
}

TEST_F(Page, HasNoOtherFiles) {
  serve(page_routes());
  for (const char* path : {"/page", "/page/none.js", "/page/vendor", "/page/index.html/x", "/page/%2e%2e/tag.cpp"})
    EXPECT_TRUE(client().ask(std::string("GET ") + path).status / 100 == 4) << path;
}

/// A relative URL means another thing where the last '/' is missing.
TEST_F(Page, LiesBelowTheBasePathWithItsSlash) {
  settings.base_path = "/ops/ballot";
  serve(page_routes());
  const auto response = client().ask("GET /ops/ballot");
  EXPECT_EQ(response.status, 308);
  EXPECT_EQ(response.header("Location"), "ballot/");
  EXPECT_EQ(client().ask("GET /ops/ballot/").status, 200);
}

/// All that the files name is one of them.
TEST_F(Page, NamesNoFileThatIsNotThere) {
  std::set<std::string> names;
  for (const PageFile& file : page_files()) names.insert(std::string(file.name));
  const std::regex import(R"re((?:from|import)\s*\(?\s*['"](\.[^'"]+)['"])re"),
      link(R"re((?:src|href)="(page/[^"]+)")re");
  for (const PageFile& file : page_files()) {
    const std::string text(file.text);
    const auto folder = std::filesystem::path(file.name).parent_path();
    for (std::sregex_iterator one(text.begin(), text.end(), import), end; one != end; ++one) {
      const auto named = (folder / one->str(1)).lexically_normal().string();
      EXPECT_TRUE(names.contains(named)) << file.name << " names " << named;
    }
    for (std::sregex_iterator one(text.begin(), text.end(), link), end; one != end; ++one)
      EXPECT_TRUE(names.contains(one->str(1).substr(5))) << file.name << " names " << one->str(1);
  }
}

}  // namespace
}  // namespace ballot::web
