// Connection: one connection to a server, made when it is needed and again after it was lost, and what is asked on it.
// Queries that are asked together go in one round trip and are one transaction. libpq never blocks here, but for
// looking up a host's name: a call waits in short steps, so that it ends when it is told to.
//
//   not connected | ask() connects, and sets the session up
//   idle          | after an answer, an error of the server too
//   not connected | after an error of the connection, a call that was ended or took too long: nobody knows what it did
//
// Errors are Failures. Thread: one at a time.
//
//   connection.begin_call();
//   const auto answers = connection.ask({{"SELECT 1"}, {"SELECT $1::bigint", Params().add(change)}});
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "answer.hpp"
#include "ballot/time.hpp"
#include "params.hpp"
#include "settings.hpp"

namespace ballot::postgresql {

/// A statement and its parameters.
struct Query {
  /// Whether the server keeps its plan: what depends on how much there is of what is asked for is planned anew.
  enum class Plan { kept, anew };

  std::string sql;
  Params params = {};
  Plan plan = Plan::kept;
};

class Connection {
 public:
  explicit Connection(const Settings& settings);

  /// Asked often while a call goes on; false ends it.
  void set_goes_on(std::function<bool()> goes_on) { goes_on_ = std::move(goes_on); }
  /// From now on the time of a call counts.
  void begin_call();

  /// Connects where it is not connected. From then on until a Failure the generation is the same.
  void open() { connect(); }
  /// The answers of all, in their order; where one fails, none was done.
  std::vector<Answer> ask(const std::vector<Query>& queries);
  Answer ask(const Query& query);
  /// Several statements without parameters or answers, such as those that make tables. A transaction that is begun goes
  /// on in the next call.
  void run(const std::string& script);

  void close();
  bool is_open() const { return connection_ != nullptr; }
  /// Grows with each connection that is made: what is known of the server by an earlier one may be wrong.
  std::uint64_t generation() const { return generation_; }
  /// Of the tables, as it was when it connected.
  std::int64_t tables_version() const { return version_; }
  const std::string& place() const { return place_; }
  /// As whom it is connected.
  std::string user() const;

 private:
  struct Step;

  /// Until when something is waited for, and what it is if it does not come.
  struct Limit {
    SteadyTime at;
    Errc error;
  };

  void connect();
  void connect_to(const ConnectionWords& words, Millis patience);
  void start(const ConnectionWords& words);
  void set_up();
  std::vector<Answer> exchange(const std::vector<Query>& queries);
  std::vector<Step> send(const std::vector<Query>& queries);
  std::string prepared(const Query& query, std::vector<Step>& steps);
  std::vector<Answer> receive(const std::vector<Step>& steps);
  PGresult* next_result();
  void send_script(const std::string& script);
  void finish_script();
  bool is_ready(short events, const Limit& limit);
  [[noreturn]] void lose();

  const Settings settings_;
  const std::string place_;
  std::function<bool()> goes_on_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_{nullptr, PQfinish};
  std::map<std::string, std::string> prepared_;  // by its text, the name of a statement
  std::uint64_t generation_ = 0;
  std::int64_t version_ = 0;
  SteadyTime deadline_{};
};

}  // namespace ballot::postgresql
