#include "base/runner_wire.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace ballot::runner {
namespace {

AttemptId some_id() {
  AttemptId id;
  for (std::size_t i = 0; i < id.run.bytes.size(); ++i) id.run.bytes[i] = static_cast<std::uint8_t>(200 + i);
  id.attempt = 3;
  return id;
}

Start full_start() {
  return {.id = some_id(),
          .job = "nightly",
          .argv = {"/bin/sh", "", std::string("a\0b", 3)},
          .environment = {"A=1"},
          .working_dir = "/srv",
          .set_identity = true,
          .uid = 0xffff'fffe,
          .gid = 7,
          .groups = {1, 2, 3},
          .umask = 077,
          .nice = -20,
          .no_new_privs = true,
          .limits = {.open_files = 1,
                     .cpu_time_seconds = ~std::uint64_t{0},
                     .address_space = std::nullopt,
                     .processes = 4,
                     .memory_max = std::nullopt,
                     .cpu_weight = 6,
                     .tasks_max = 7},
          .standard_input = std::string(100'000, 'i'),
          .output_limit = std::int64_t{1} << 40,
          .stream_output = true,
          .launch_not_after = SteadyTime(Millis(-5)),
          .kill_signal = 2,
          .kill_grace = Millis(1234),
          .deadline = Millis(99),
          .term_key = ~std::uint64_t{0},
          .terminate = false};
}

Ended full_ended() {
  return {.id = some_id(),
          .exit_code = std::nullopt,
          .signal = 9,
          .reason = Reason::halted,
          .started_at = WallTime(Millis(1)),
          .ended_at = WallTime(Millis(2)),
          .duration = Millis(3),
          .leftover = Leftover::unkillable,
          .output = {"head", "tail", 1'000'000'000'000}};
}

std::vector<ToRunner> all_to_runner() {
  return {full_start(),
          Start{},
          Kill{some_id(), Reason::replaced, 10, Millis(5)},
          Deadline{9, SteadyTime(Millis(8)), Millis(7)},
          Ack{some_id()},
          Leave{},
          Ping{},
          Command{"local ballot n1"},
          Watch{true},
          Successor{{"/bin/ballot", "resign"}, {"A=1"}, "/run/lock", SteadyTime(Millis(77))},
          ShowOutput{some_id(), 1'000'000'000'000}};
}

std::vector<FromRunner> all_from_runner() {
  return {Hello{protocol, 4711},
          Running{some_id(), "nightly", 12, WallTime(Millis(55))},
          Ready{true, "n1"},
          Started{some_id(), 13, WallTime(Millis(-1))},
          Refused{some_id()},
          CannotStart{some_id(), "exec", 2},
          Printed{some_id(), std::string("\0\xff\n", 3)},
          full_ended(),
          Ended{},
          Pong{},
          Shown{some_id(), true, true, 5, 9, std::string("a\0\xff\n", 4)}};
}

Result<std::optional<ToRunner>> next(FrameReader& reader, const ToRunner&) { return reader.next_to_runner(); }
Result<std::optional<FromRunner>> next(FrameReader& reader, const FromRunner&) { return reader.next_from_runner(); }

template <class Message>
void expect_same_after_the_wire(const std::vector<Message>& messages, std::size_t chunk) {
  std::string stream;
  for (const Message& message : messages) stream += encode(message);
  FrameReader reader;
  std::size_t count = 0;
  for (std::size_t at = 0; at < stream.size(); at += chunk) {
    reader.feed(std::string_view(stream).substr(at, chunk));
    while (true) {
      const auto message = next(reader, messages.front());
      ASSERT_TRUE(message) << message.error().what;
      if (!*message) break;
      ASSERT_LT(count, messages.size());
      EXPECT_EQ((*message)->index(), messages[count].index());
      EXPECT_EQ(encode(**message), encode(messages[count])) << "message " << count;
      ++count;
    }
  }
  EXPECT_EQ(count, messages.size());
}

TEST(RunnerWire, GivesBackEveryMessageHoweverItIsCut) {
  for (const std::size_t chunk : {1u, 3u, 64u, 4096u, 1'000'000u}) {
    expect_same_after_the_wire(all_to_runner(), chunk);
    expect_same_after_the_wire(all_from_runner(), chunk);
  }
}

TEST(RunnerWire, GivesBackEveryField) {
  FrameReader reader;
  reader.feed(encode(ToRunner(full_start())));
  const auto message = reader.next_to_runner();
  ASSERT_TRUE(message && *message);
  const auto& start = std::get<Start>(**message);
  const Start wanted = full_start();
  EXPECT_EQ(start.id, wanted.id);
  EXPECT_EQ(start.argv, wanted.argv);
  EXPECT_EQ(start.environment, wanted.environment);
  EXPECT_EQ(start.uid, wanted.uid);
  EXPECT_EQ(start.groups, wanted.groups);
  EXPECT_EQ(start.nice, -20);
  EXPECT_EQ(start.output_limit, wanted.output_limit);
  EXPECT_EQ(start.launch_not_after, wanted.launch_not_after);
  EXPECT_EQ(start.deadline, wanted.deadline);
  EXPECT_EQ(start.term_key, wanted.term_key);
  EXPECT_FALSE(start.terminate);

  reader.feed(encode(FromRunner(full_ended())));
  const auto end = reader.next_from_runner();
  ASSERT_TRUE(end && *end);
  const auto& ended = std::get<Ended>(**end);
  EXPECT_EQ(ended.exit_code, std::nullopt);
  EXPECT_EQ(ended.signal, 9);
  EXPECT_EQ(ended.reason, Reason::halted);
  EXPECT_EQ(ended.leftover, Leftover::unkillable);
  EXPECT_EQ(ended.output.tail, "tail");
  EXPECT_EQ(ended.output.total_bytes, 1'000'000'000'000);
}

/// Of a newer runner, or of one that a newer daemon has told why it kills.
TEST(RunnerWire, KeepsAReasonOfANewerVersion) {
  Ended newer = full_ended();
  newer.reason = static_cast<Reason>(57);
  FrameReader reader;
  reader.feed(encode(FromRunner(newer)));
  const auto end = reader.next_from_runner();
  ASSERT_TRUE(end && *end);
  EXPECT_EQ(Named<Reason>(std::get<Ended>(**end).reason).text(), "57");
}

TEST(RunnerWire, LaysAFrameOutAsDocumented) {
  EXPECT_EQ(encode(ToRunner(Leave{})), std::string("\x01\0\0\0\x04", 5));
  EXPECT_EQ(encode(FromRunner(Hello{1, 258})), std::string("\x11\0\0\0\0\x01\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0", 21));
}

/// The body of a frame with its length in front.
std::string frame(const std::string& body) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(body.size() >> (8 * i));
  return bytes + body;
}

TEST(RunnerWire, RefusesEveryBodyThatIsCutOrTooLong) {
  for (const ToRunner& message : all_to_runner()) {
    const std::string body = encode(message).substr(4);
    const std::size_t step = body.size() > 1000 ? 997 : 1;
    for (std::size_t size = 1; size < body.size(); size += step) {
      FrameReader reader;
      reader.feed(frame(body.substr(0, size)));
      EXPECT_FALSE(reader.next_to_runner()) << message.index() << " cut to " << size;
    }
    FrameReader reader;
    reader.feed(frame(body + '\0'));
    EXPECT_FALSE(reader.next_to_runner());
  }
}

TEST(RunnerWire, RefusesLengthsAndKindsThatCannotBe) {
  for (const std::string& bytes : {std::string(4, '\0'), std::string("\xff\xff\xff\xff", 4),
                                   std::string("\x01\0\0\x04", 4), frame("\x06"), frame("\xff")}) {
    FrameReader reader;
    reader.feed(bytes);
    const auto message = reader.next_to_runner();
    ASSERT_FALSE(message);
    EXPECT_EQ(message.error().code, Errc::corrupt);
    reader.feed(encode(ToRunner(Leave{})));
    EXPECT_FALSE(reader.next_to_runner()) << "an error is final";
  }
}

TEST(RunnerWire, RefusesValuesThatDoNotFit) {
  const std::string kill = encode(ToRunner(Kill{some_id(), Reason::none, 15, Millis(0)})).substr(4);
  constexpr std::size_t attempt = 1 + 16, reason = attempt + 8, signal = reason + 8;
  for (const auto& [at, byte] : {std::pair(attempt + 4, '\x01'), std::pair(reason + 4, '\x7f'),
                                 std::pair(reason + 7, '\x80'), std::pair(signal + 7, '\x40')}) {
    std::string body = kill;
    body[at] = byte;
    FrameReader reader;
    reader.feed(frame(body));
    EXPECT_FALSE(reader.next_to_runner()) << at;
  }
}

TEST(RunnerWire, TakesACountOfItemsThatAreNotThereForWhatItIs) {
  std::string body = encode(ToRunner(Start{})).substr(4);
  constexpr std::size_t argv_count = 1 + 16 + 8 + 4;
  for (std::size_t i = 0; i < 4; ++i) body[argv_count + i] = '\xff';
  FrameReader reader;
  reader.feed(frame(body));
  EXPECT_FALSE(reader.next_to_runner());
}

TEST(RunnerWire, SurvivesGarbage) {
  Random random(20'25);
  const std::vector<ToRunner> messages = all_to_runner();
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = encode(messages[1 + random.below(messages.size() - 1)]);
    for (std::uint64_t i = 1 + random.below(8); i > 0; --i)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    FrameReader reader;
    reader.feed(bytes);
    while (true) {
      const auto message = reader.next_to_runner();
      if (!message || !*message) break;
      EXPECT_LT((*message)->index(), std::variant_size_v<ToRunner>);
    }
  }
}

}  // namespace
}  // namespace ballot::runner
