// The ledger's spool: its records, and the file of frames, with right check sums and with whatever there is.
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "harness.hpp"
#include "scratch.hpp"
#include "storage/record.hpp"
#include "storage/spool.hpp"

namespace ballot::fuzz::spool_harness {
namespace {

using storage::Record;

constexpr const char *name = "rows", *aside = ".aside";

/// What a ledger or a screen would make of it.
void look_at(const Row& row) {
  require(!to_string(row.trigger).empty(), "it has a trigger");
  to_string(row.leftover);
  require(is_showable(row.status.description()) && is_showable(row.reason.description()), "its words can be shown");
}
void look_at(const storage::EvidenceRow& evidence) { look_at(evidence.row); }
void look_at(const TermRow& term) { to_string(term.cause); }
void look_at(const storage::OutputRecord&) {}
void look_at(const storage::DefinedRow&) {}
void look_at(const KnownRow&) {}
void look_at(const PauseRow&) {}
void look_at(const RequestRow&) {}
void look_at(const AnswerRow&) {}

void look_at_record(const Record& record) {
  std::visit([](const auto& one) { look_at(one); }, record);
  const std::string bytes = encode(record);
  const auto again = storage::decode(bytes);
  require(again && encode(*again) == bytes, "a record that is written is read as the same");
}

std::string framed(std::string_view payload) {
  std::string frame;
  const auto put = [&](std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(value >> shift & 0xff);
  };
  put(static_cast<std::uint32_t>(payload.size()));
  put(storage::crc32(payload));
  return frame.append(payload);
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What is no frame is set aside, and what is one is handed out, unless a record is none of this version.
void open_spool(std::string_view bytes) {
  const std::string path = scratch_file(name, bytes);
  std::filesystem::remove(path + aside);
  storage::Spool spool(scratch().path(), name, 0);
  const auto opened = spool.open(aside);
  require(static_cast<bool>(opened), "it can be opened");
  require(bytes_of(path) + bytes_of(path + aside) == bytes, "no byte is lost");
  require(opened->empty() != std::filesystem::exists(path + aside), "it is said that something was set aside");
  std::int64_t handed_out = 0;
  const auto replayed = spool.replay([&](const std::vector<Record>& records) {
    handed_out += static_cast<std::int64_t>(records.size());
    for (const Record& record : records) look_at_record(record);
  });
  require(replayed ? handed_out == spool.records() : replayed.error().code == Errc::refused,
          "each record is handed out, or is of a newer version");
}

}  // namespace

BALLOT_FUZZ(spool) {
  if (const auto record = storage::decode(input)) look_at_record(*record);
  open_spool(input);
  open_spool(framed(input) + framed(input.substr(0, input.size() / 2)) + std::string(input.substr(input.size() / 2)));
}

}  // namespace ballot::fuzz::spool_harness
