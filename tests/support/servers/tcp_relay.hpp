// TcpRelay: is between clients and a server on this host: forwards, and cuts, delays, drops and counts when it is asked
// to. A thread of its own. Knows nothing of what is said, but where a frame of four bytes of length begins.
//
//   TcpRelay relay(server_port);            // clients connect to relay.port()
//   relay.cut();      ... nothing goes through; both sides believe that they are connected
//   relay.heal();     ... what was delayed goes through
//   relay.drop_answers(true);               // requests arrive, answers do not
//   relay.break_connections();              // both sides notice
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ballot::testing {

class TcpRelay {
 public:
  enum class Way { to_server, to_client };

  explicit TcpRelay(int server_port);
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  int port() const noexcept { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Each has taken effect when it returns.
  void cut();
  /// Only what this process has connected, or connects from now on.
  void cut_from(pid_t process);
  /// One way of what this process, or any, has connected: neither bytes nor the end of a connection arrive, and the
  /// other way all does. Connections that it begins from now on do not come about, and it hears nothing. heal() breaks
  /// all of these.
  void cut_way(Way way, std::optional<pid_t> process = {});
  void heal();
  void delay(Way way, std::chrono::milliseconds by);
  /// What goes this way is read and thrown away. Ends with the connection: break it to go on.
  void drop(Way way, bool on);
  void drop_answers(bool on) { drop(Way::to_client, on); }
  /// Of a connection on which something with `text` is asked, that and all that follows is thrown away. "": of none.
  void lose_requests(const std::string& text);
  void break_connections();
  /// Of connections that come from now on.
  void lead_to(int server_port);

  std::size_t connections() const;
  /// How much was thrown away.
  std::size_t dropped() const;
  /// The largest frame that was sent to the server, with its four bytes of length.
  std::size_t largest_frame() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Chunk {
    Clock::time_point due;
    std::string bytes;
  };
  struct Stream {
    std::deque<Chunk> delayed;
    bool ended = false;
  };
  struct Pair {
    int client = -1, server = -1;
    std::array<Stream, 2> streams;  // by Way
    std::size_t frame_left = 0;     // of the frame that is being sent to the server
    std::string frame_head;
    bool broken = false;
    bool cut = false;  // though others are not
    std::optional<Way> cut_way{};
    bool lost = false;  // a request, so that the server is not asked for anything more
  };

  void run();
  void wake() const;
  void accept();
  void mark(Pair& pair) const;
  static void break_pair(Pair& pair);
  void take(Pair& pair, Way way);
  void give(Pair& pair, Way way);
  bool drops(Pair& pair, Way way, const std::string& bytes);
  void count(Pair& pair, const std::string& bytes);
  int wait_time() const;
  static int from(const Pair& pair, Way way) { return way == Way::to_server ? pair.client : pair.server; }
  static int to(const Pair& pair, Way way) { return way == Way::to_server ? pair.server : pair.client; }

  mutable std::mutex mutex_;
  int server_port_;
  int port_ = 0;
  int listener_ = -1;
  int event_ = -1;
  std::list<Pair> pairs_;
  std::array<std::chrono::milliseconds, 2> delays_{};
  bool cut_ = false;
  pid_t cut_from_ = -1;           // -1: from all
  std::optional<Way> cut_way_{};  // none: both
  std::array<bool, 2> drops_{};
  std::string lost_text_;
  bool stopping_ = false;
  std::size_t connections_ = 0, dropped_ = 0;
  std::size_t largest_frame_ = 0;
  std::thread thread_;
};

}  // namespace ballot::testing
