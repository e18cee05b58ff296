// Settings: the table [postgresql] of ballot.toml, and how libpq is to connect by it. Pure but for parsing the URL,
// which libpq does, and for reading the file of the password.
//
//   const Settings settings = read_settings(options, HistoryUse::send);   // check_table() found nothing wrong
//   const auto words = connection_words(settings);                        // each for PQconnectStartParams
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ballot/error.hpp"
#include "ballot/history.hpp"
#include "ballot/options.hpp"
#include "ballot/time.hpp"

namespace ballot::postgresql {

struct Settings {
  std::string url;                 // of the server that this object is to use, without a password
  std::string user;                // instead of the URL's; "": the URL's
  std::string password_key;        // of the table, that names the file
  std::string password_file;       // "": no password is known
  std::string tls_ca;              // "": no certificate is checked
  std::string schema;              // of all tables
  std::vector<std::string> users;  // of the URLs, who are granted what a daemon needs; none: the URL names nobody
  Millis keep{}, keep_output{};    // before that old rows, and output, are dropped
  Millis statement_timeout{};      // by which a statement is given up
  HistoryUse use = HistoryUse::read;
};

extern const OptionKey table_keys[11];
std::vector<OptionProblem> table_conflicts(const Options& options) noexcept;

Settings read_settings(const Options& options, HistoryUse use);

using ConnectionWords = std::vector<std::pair<std::string, std::string>>;
/// For each host of the URL, in their order, as libpq goes to the next one by itself only where it may block. With the
/// password, as its file has it now. Errors: refused, invalid: that file.
Result<std::vector<ConnectionWords>> connection_words(const Settings& settings);

/// Where it connects to, for people: hosts and ports.
std::string place_of(const Settings& settings);

}  // namespace ballot::postgresql
