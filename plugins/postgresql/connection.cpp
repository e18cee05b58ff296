#include "connection.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "schema.hpp"
#include "support/clock.hpp"

namespace ballot::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr Millis connect_patience = 10s, least_patience = 3s, answer_patience = 5s, step = 100ms;
constexpr Millis migration_patience = 1h;  // an index of a large table
constexpr std::size_t most_prepared = 100;

// Without just-in-time compilation, which takes longer than what is asked here.
constexpr const char* set_up_sql =
    "SELECT set_config('search_path', $1, false), set_config('statement_timeout', $2, false),"
    " set_config('client_connection_check_interval', '1s', false),"
    " set_config('idle_in_transaction_session_timeout', '60s', false), set_config('jit', 'off', false)";

/// libpq has none of its own for what a server answers to who connects: "FATAL:  28P01: password ...".
std::string_view state_in(std::string_view message) {
  const auto is_letter = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
  for (std::size_t at = message.find("  "); at != std::string_view::npos; at = message.find("  ", at + 1)) {
    const std::string_view state = message.substr(at + 2, 5);
    if (state.size() == 5 && std::all_of(state.begin(), state.end(), is_letter) &&
        message.substr(at + 7).starts_with(": "))
      return state;
  }
  return {};
}

std::string_view state_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state == nullptr ? std::string_view() : state;
}

std::string message_of(const PGresult* result) {
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return message == nullptr ? PQresultErrorMessage(result) : message;
}

bool is_error(ExecStatusType status) { return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE; }

}  // namespace

/// What is answered next.
struct Connection::Step {
  std::string sql = {};   // of a statement that is prepared
  std::string name = {};  // which it gets; "": a query's own answer
};

Connection::Connection(const Settings& settings) : settings_(settings), place_(place_of(settings)) {}

void Connection::begin_call() {
  deadline_ = support::boot_now() + (settings_.use == HistoryUse::migrate
                                         ? migration_patience
                                         : connect_patience + settings_.statement_timeout + answer_patience);
}

void Connection::close() {
  connection_.reset();
  prepared_.clear();
}

std::string Connection::user() const { return connection_ ? PQuser(connection_.get()) : ""; }

void Connection::lose() {
  const std::string message = connection_ ? PQerrorMessage(connection_.get()) : "";
  const bool lacks_password = connection_ && PQconnectionNeedsPassword(connection_.get()) != 0;
  close();
  if (lacks_password)
    fail(Errc::denied, place_ + ": it asks for a password: set [postgresql] " + settings_.password_key);
  throw Failure{by_state(state_in(message), place_, message.empty() ? "the connection is lost" : message)};
}

/// Waits for a moment. Ends the call where it is to end: the connection is in the midst of something then.
bool Connection::is_ready(short events, const Limit& limit) {
  const SteadyTime now = support::boot_now();
  if (goes_on_ && !goes_on_()) {
    close();
    fail(Errc::unavailable, place_ + ": the call was ended");
  }
  if (now >= limit.at) {
    close();
    fail(limit.error, place_ + ": no answer in time");
  }
  pollfd one{PQsocket(connection_.get()), events, 0};
  return ::poll(&one, 1, static_cast<int>(std::min<Millis>(step, limit.at - now).count())) > 0;
}

/// To the first host that lets it in: where one does not answer, or is not what the URL asks for, another may be.
void Connection::connect() {
  if (connection_ && PQstatus(connection_.get()) == CONNECTION_OK) return;
  close();
  const auto words = connection_words(settings_);
  if (!words) throw Failure{words.error()};
  const Millis patience = std::max<Millis>(connect_patience / std::ssize(*words), least_patience);
  for (std::size_t i = 0; !connection_; ++i) try {
      connect_to((*words)[i], patience);
    } catch (const Failure&) {
      if (i + 1 == words->size() || (goes_on_ && !goes_on_())) throw;
    }
}

void Connection::connect_to(const ConnectionWords& words, Millis patience) {
  start(words);
  const Limit limit{std::min(deadline_, support::boot_now() + patience), Errc::unavailable};
  for (PostgresPollingStatusType state = PGRES_POLLING_WRITING; state != PGRES_POLLING_OK;) {
    if (state == PGRES_POLLING_FAILED) lose();
    if (is_ready(state == PGRES_POLLING_READING ? POLLIN : POLLOUT, limit)) state = PQconnectPoll(connection_.get());
  }
  PQsetErrorVerbosity(connection_.get(), PQERRORS_DEFAULT);
  PQsetnonblocking(connection_.get(), 1);
  PQenterPipelineMode(connection_.get());
  ++generation_;
  set_up();
}

void Connection::start(const ConnectionWords& words) {
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : words) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(keys.data(), values.data(), 1));
  if (!connection_ || PQstatus(connection_.get()) == CONNECTION_BAD) lose();
  PQsetErrorVerbosity(connection_.get(), PQERRORS_VERBOSE);
  PQsetNoticeReceiver(
      connection_.get(), [](void*, const PGresult*) {}, nullptr);
}

/// A migration finds no tables, or older ones: it asks for no version, and has no time-out.
void Connection::set_up() {
  const bool migrates = settings_.use == HistoryUse::migrate;
  const std::string timeout = migrates ? "0" : std::to_string(settings_.statement_timeout.count());
  Params params;
  params.add(settings_.schema).add(timeout);
  std::vector<Query> queries{{set_up_sql, std::move(params)}};
  if (!migrates) queries.push_back({version_sql});
  try {
    const std::vector<Answer> answers = exchange(queries);
    if (migrates) return;
    check_version(answers.back(), place_);
    version_ = answers.back().number(0, 0);
  } catch (const Failure&) {
    close();
    throw;
  }
}

Answer Connection::ask(const Query& query) { return std::move(ask(std::vector<Query>{query}).front()); }

std::vector<Answer> Connection::ask(const std::vector<Query>& queries) {
  connect();
  return exchange(queries);
}

/// What stands between two synchronisations is one transaction, and a query after one that fails is not done.
std::vector<Answer> Connection::exchange(const std::vector<Query>& queries) {
  const std::vector<Step> steps = send(queries);
  if (PQpipelineSync(connection_.get()) != 1) lose();
  return receive(steps);
}

std::vector<Connection::Step> Connection::send(const std::vector<Query>& queries) {
  std::vector<Step> steps;
  for (const Query& query : queries) {
    const std::string name = prepared(query, steps);
    const auto values = query.params.values();
    const auto lengths = query.params.lengths(), formats = query.params.formats();
    const int count = static_cast<int>(query.params.size());
    const int sent = name.empty() ? PQsendQueryParams(connection_.get(), query.sql.c_str(), count, query.params.types(),
                                                      values.data(), lengths.data(), formats.data(), 1)
                                  : PQsendQueryPrepared(connection_.get(), name.c_str(), count, values.data(),
                                                        lengths.data(), formats.data(), 1);
    if (sent != 1) lose();
    steps.push_back({});
  }
  return steps;
}

/// The name of a statement that the server has, or has by the time at which it is used; "": it is to be planned anew.
std::string Connection::prepared(const Query& query, std::vector<Step>& steps) {
  if (query.plan == Query::Plan::anew) return {};
  if (const auto known = prepared_.find(query.sql); known != prepared_.end()) return known->second;
  for (const Step& one : steps)
    if (one.sql == query.sql) return one.name;
  const auto coming = std::count_if(steps.begin(), steps.end(), [](const Step& one) { return !one.name.empty(); });
  const std::size_t number = prepared_.size() + static_cast<std::size_t>(coming);
  if (number >= most_prepared) return {};
  const std::string name = "ballot_" + std::to_string(number);
  if (PQsendPrepare(connection_.get(), name.c_str(), query.sql.c_str(), static_cast<int>(query.params.size()),
                    query.params.types()) != 1)
    lose();
  steps.push_back({query.sql, name});
  return name;
}

/// The next of a statement, or null where it has no more, or what stands between two transactions.
PGresult* Connection::next_result() {
  const Limit limit{deadline_, Errc::timeout};
  while (true) {
    const int left = PQflush(connection_.get());
    if (left < 0) lose();
    if (PQisBusy(connection_.get()) == 0) return PQgetResult(connection_.get());
    if (is_ready(static_cast<short>(left > 0 ? POLLIN | POLLOUT : POLLIN), limit) &&
        PQconsumeInput(connection_.get()) != 1)
      lose();
  }
}

std::vector<Answer> Connection::receive(const std::vector<Step>& steps) {
  std::vector<Answer> answers;
  std::optional<Error> error;
  std::size_t at = 0;
  while (true) {
    PGresult* const result = next_result();
    if (result == nullptr) {  // the end of a statement's; twice where the connection is lost
      if (PQstatus(connection_.get()) != CONNECTION_OK) lose();
      ++at;
      continue;
    }
    Answer answer(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) break;
    if (is_error(status)) {
      if (state_of(result).empty() || PQstatus(connection_.get()) != CONNECTION_OK) lose();
      if (!error) error = by_state(state_of(result), place_, message_of(result));
    } else if (status != PGRES_PIPELINE_ABORTED && at < steps.size()) {
      if (steps[at].name.empty())
        answers.push_back(std::move(answer));
      else
        prepared_[steps[at].sql] = steps[at].name;
    }
  }
  if (PQtransactionStatus(connection_.get()) == PQTRANS_INERROR) close();  // begun by who asked
  if (error) throw Failure{*error};
  const auto asked = std::count_if(steps.begin(), steps.end(), [](const Step& one) { return one.name.empty(); });
  if (std::ssize(answers) != asked) fail(Errc::corrupt, place_ + ": not all was answered");
  return answers;
}

void Connection::run(const std::string& script) {
  connect();
  send_script(script);
  finish_script();
  if (PQenterPipelineMode(connection_.get()) != 1) lose();
}

void Connection::send_script(const std::string& script) {
  if (PQexitPipelineMode(connection_.get()) != 1 || PQsendQuery(connection_.get(), script.c_str()) != 1) lose();
}

/// After an error the transaction, if there is one, is over.
void Connection::finish_script() {
  std::optional<Error> error;
  while (PGresult* const result = next_result()) {
    const Answer answer(result);
    if (is_error(PQresultStatus(result)) && !error) error = by_state(state_of(result), place_, message_of(result));
    if (PQstatus(connection_.get()) != CONNECTION_OK) lose();
  }
  if (!error) return;
  close();
  throw Failure{*error};
}

}  // namespace ballot::postgresql
