// What the runner says is taken in the order in which it was said, whenever the client is asked to take what is there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "io/runner_client.hpp"
#include "support/temp_folder.hpp"
#include "unit/io/fake_runner.hpp"

namespace ballot::io {
namespace {

using testing::FakeRunner;

constexpr std::size_t full_read = 64 * 1024;

struct RunnerReading : ::testing::Test {
  RunnerReading() {
    EXPECT_TRUE(client->start());
    fake.accept();
    const runner::AttemptId id = printed("").id;
    stream = encode(runner::FromRunner(runner::Hello{runner::protocol, ::getpid()})) +
             encode(runner::FromRunner(runner::Running{id, "job", 1, {}})) +
             encode(runner::FromRunner(runner::Ready{true, ""}));
  }

  static runner::Printed printed(std::string bytes) {
    runner::Printed message;
    message.id.run.bytes[0] = 1;
    message.id.attempt = 1;
    message.bytes = std::move(bytes);
    return message;
  }

  /// A frame that holds frames, as a job may print them. `size`: of the whole.
  void print(std::size_t size) {
    const std::size_t around = encode(runner::FromRunner(printed(""))).size();
    const std::string forged = encode(runner::FromRunner(runner::Ready{true, "forged"}));
    std::string bytes;
    while (bytes.size() + around < size) bytes += forged;
    bytes.resize(size - around);
    output += bytes;
    stream += encode(runner::FromRunner(printed(bytes)));
  }

  void write_some(std::size_t most) { written += fake.write(std::string_view(stream).substr(written, most)); }
  bool all_is_there() const { return readies > 1 || heard.size() >= output.size() || !downs.empty(); }

  TempFolder folder;
  boost::asio::io_context loop;
  FakeRunner fake{folder / "runner.sock"};
  std::string heard, output, stream;
  std::size_t written = 0;
  int readies = 0;
  std::vector<std::string> downs;
  std::optional<RunnerClient> client{std::in_place, loop, RunnerSettings{folder / "runner.sock", "/bin/false"},
                                     RunnerHandlers{[this](std::vector<runner::FromRunner> said) {
                                                      for (const runner::FromRunner& message : said) {
                                                        if (const auto* one = std::get_if<runner::Printed>(&message))
                                                          heard += one->bytes;
                                                        readies +=
                                                            std::holds_alternative<runner::Ready>(message) ? 1 : 0;
                                                      }
                                                    },
                                                    [this](const std::string& text) { downs.push_back(text); }}};
};

/// A full read, and the next one begun: then somebody asks for what is there, and then the loop goes on.
TEST_F(RunnerReading, KeepsTheOrderWhereTheRestIsAskedForBehindAFullRead) {
  print(full_read - stream.size());
  for (int i = 0; i < 20; ++i) print(3000);
  while (written < stream.size()) write_some(stream.size());
  for (int turns = 0; !all_is_there() && turns < 1000; ++turns) {
    loop.restart();
    loop.poll_one();
    if (heard.size() > full_read / 2) client->take_pending();
  }
  EXPECT_EQ(downs, std::vector<std::string>{});
  EXPECT_EQ(readies, 1) << "what was printed was taken for the runner's word";
  EXPECT_TRUE(heard == output);
}

/// `BALLOT_READINGS` is how many random lives are tried.
TEST_F(RunnerReading, KeepsTheOrderHoweverItIsInterleaved) {
  const char* const wanted = std::getenv("BALLOT_READINGS");
  const int lives = wanted ? std::atoi(wanted) : 200;
  for (int life = 0; life < lives && downs.empty() && readies <= 1; ++life) {
    std::mt19937 random(static_cast<unsigned>(life));
    const auto some = [&](std::size_t least, std::size_t most) { return least + random() % (most - least + 1); };
    // Around a full read at each offset of a frame's head and end, then anything.
    print(full_read - 60 + static_cast<std::size_t>(life) % 120);
    for (std::size_t frames = some(1, 30); frames > 0; --frames) print(some(64, some(0, 1) ? 300 : full_read + 200));
    for (int turns = 0; !(written == stream.size() && all_is_there()) && turns < 100'000; ++turns) {
      loop.restart();
      switch (some(0, 3)) {
        case 0: write_some(some(1, 100)); break;
        case 1: write_some(some(1, 3 * full_read)); break;
        case 2: loop.poll_one(); break;
        default: client->take_pending();
      }
    }
    ASSERT_EQ(downs, std::vector<std::string>{}) << "life " << life;
    ASSERT_EQ(readies, 1) << "what was printed was taken for the runner's word in life " << life;
    ASSERT_TRUE(heard == output) << "life " << life;
    heard.clear(), output.clear(), stream.clear(), written = 0;
  }
}

}  // namespace
}  // namespace ballot::io
