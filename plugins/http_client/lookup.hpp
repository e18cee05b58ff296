// Lookup: addresses of hosts, found without blocking: the system's resolver may take half a minute, and cannot be
// called back. One thread a host that is looked up, which ends by itself, after this object if need be. On the thread
// of the io_context.
//
//   lookup.find({"db.example", "2379"}, [](const std::string& problem, const Lookup::Addresses& found) { ... });
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http_client/client.hpp"

namespace ballot::http {

class Lookup {
 public:
  using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
  /// `problem`: "" where there are addresses.
  using Done = std::function<void(const std::string& problem, const Addresses&)>;

  explicit Lookup(boost::asio::io_context& io);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  /// Called back once, not from within, unless this object ends before.
  void find(const Endpoint& endpoint, Done done);

 private:
  /// What a thread reaches of this object.
  struct Link {
    std::mutex mutex;
    Lookup* lookup;  // under mutex; null: it is gone
  };
  static void run(const std::shared_ptr<Link>& link, const Endpoint& endpoint);
  void finish(const std::string& name, const std::string& problem, const Addresses& addresses);

  boost::asio::io_context& io_;
  std::map<std::string, std::vector<Done>> waiting_;  // by host and port
  std::shared_ptr<Link> link_;
};

}  // namespace ballot::http
