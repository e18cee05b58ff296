// PeerLookup: addresses of hosts, found without blocking: the system's resolver may take half a minute, and cannot be
// called back. One thread a host that is looked up, which ends by itself, after this object if need be.
//
// Thread: that of the io_context. (The backends' plugins have the same for themselves: the rooms share no code.)
//
//   lookup.find("host-2", "8780", [](const std::string& problem, const PeerLookup::Addresses& found) { ... });
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ballot::web {

class PeerLookup {
 public:
  using Addresses = std::vector<boost::asio::ip::tcp::endpoint>;
  /// `problem`: "" where there are addresses.
  using Done = std::function<void(const std::string& problem, const Addresses&)>;

  explicit PeerLookup(boost::asio::io_context& io);
  ~PeerLookup();
  PeerLookup(const PeerLookup&) = delete;
  PeerLookup& operator=(const PeerLookup&) = delete;

  /// Called back once, not from within, unless this object ends before. While a thread looks up, the io_context has no
  /// work by it: whoever runs it keeps it running.
  void find(const std::string& host, const std::string& port, Done done);

 private:
  struct Link;
  void finish(int number, const std::string& problem, const Addresses& found);

  boost::asio::io_context& io_;
  std::map<int, Done> waiting_;
  int last_ = 0;
  const std::shared_ptr<Link> link_;
};

}  // namespace ballot::web
