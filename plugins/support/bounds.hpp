// Bounds: how much of what a server sends is taken, by kind of answer. A plugin takes what is within them; beyond them
// the connection is closed, and the request has had no answer. Together they keep the memory that a hostile or broken
// server can claim below 64 MiB, whatever it sends and for however long.
//
//   request.largest = bounds::list;      if (text.size() > bounds::log_text) ...
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ballot::support::bounds {

constexpr std::size_t kib = 1024, mib = 1024 * kib;

// HTTP.
/// The status line with all headers; a chunk's length with its extensions; the trailers; bytes that are read at a time.
constexpr std::size_t head = 64 * kib;
/// The body of an answer that is no list: at most 100 registers of 8 KiB, in base64.
constexpr std::size_t answer = 2 * mib;
/// The body of a list, or one page of it; a line of a stream with the chunks around it.
constexpr std::size_t list = 10 * mib;
/// All pages of a list: of the jobs' registers, which are listed only for a command that names a run; of all else.
constexpr std::size_t registers = 128 * mib, pages = 16 * mib;
/// Terms and sessions that a node follows.
constexpr std::size_t followed = 100'000;
/// What all connections of a client hold of answers that are not complete, and the plugin has not taken yet. Beyond it
/// only the connection with the largest answer is read from.
constexpr std::size_t untaken = 6 * mib;

// ZooKeeper, in bytes of a frame without its length.
/// The names of a node's children, and how many there are: 100,000 jobs have as many registers below one node.
constexpr std::size_t children = 7 * mib, names = 200'000;
/// The data of a node; the answer to a transaction; what a client sends, of which ZooKeeper itself takes 1 MiB.
constexpr std::size_t node = 32 * kib, transaction = 64 * kib, request = 2 * mib;
/// All other answers, and events.
constexpr std::size_t reply = 4 * kib;
/// Of all answers: at once, and then in a second.
constexpr std::size_t burst = 8 * mib, second = 32 * mib;

// NATS.
/// A line of its protocol, as the servers' own max_control_line, -ERR with its text; the line INFO, which names all
/// servers of a cluster; what is read from a connection at a time.
constexpr std::size_t line = 4 * kib, info = 64 * kib, piece = 64 * kib;
/// Headers and payload of a message, as they are announced; what is kept of them: more than any record that is read, so
/// that one that was cut is not taken for a whole one. The rest is read and dropped: whoever may write to a bucket need
/// not be able to end connections.
constexpr std::size_t message = 8 * mib, kept = 64 * kib;
/// Messages that the plugin has not taken: reading waits; what a server has not taken of what is sent.
constexpr std::size_t received = 12 * mib, unsent = 16 * mib;
/// Keys and values of a bucket, which a daemon keeps whole: the one bound beyond 64 MiB.
constexpr std::size_t bucket = 512 * mib;

// JSON: of one text; a member counts as one value.
constexpr std::size_t json_values = 384 * kib;
constexpr std::size_t json_depth = 32;

// Counters: versions, revisions and sequences. A larger one is none, nor is 0: no store has counted so far, and what
// comes after it has to be larger.
constexpr std::uint64_t version = std::uint64_t{1} << 62;

// Sessions: a timeout that a server grants; deadlines are counted from it.
constexpr std::chrono::hours longest_session{24};

// People: what a log line, an error or a problem has of a server's text, in bytes.
constexpr std::size_t text = 1 * kib;

}  // namespace ballot::support::bounds
