// ConnectionExchange: the Exchange of one request of a connection.
//
// Thread: the server's.
#pragma once

#include <memory>

#include "http/connection.hpp"

namespace ballot::web {

class ConnectionExchange : public Exchange {
 public:
  ConnectionExchange(std::weak_ptr<Connection> connection, Connection::Turn turn, HttpRequest request)
      : connection_(std::move(connection)), turn_(turn), request_(std::move(request)) {}
  ~ConnectionExchange() override {
    if (const auto kept = connection_.lock()) kept->abandon(turn_);
  }

  const HttpRequest& request() const override { return request_; }
  void ask(io::Message question, std::function<void(AnswerLine)> on_line) override {
    if (const auto kept = connection_.lock()) kept->ask(turn_, request_.asker, std::move(question), std::move(on_line));
  }
  void after(Millis delay, std::function<void()> then) override {
    if (const auto kept = connection_.lock()) kept->after(turn_, delay, std::move(then));
  }
  bool become_stream() override {
    const auto kept = connection_.lock();
    return kept && kept->become_stream(turn_);
  }
  void finish(HttpResponse response) override {
    if (const auto kept = connection_.lock()) kept->finish(turn_, std::move(response));
  }
  void begin(HttpResponse response) override {
    if (const auto kept = connection_.lock()) kept->begin(turn_, std::move(response));
  }
  void send(std::string_view bytes) override {
    if (const auto kept = connection_.lock()) kept->send(turn_, bytes);
  }
  void end() override {
    if (const auto kept = connection_.lock()) kept->end(turn_);
  }
  std::size_t unread() const override {
    const auto kept = connection_.lock();
    return kept && !kept->is_over(turn_) ? kept->unread() : 0;
  }
  void on_drained(std::function<void()> then) override {
    if (const auto kept = connection_.lock()) kept->on_drained(turn_, std::move(then));
  }
  bool is_over() const override {
    const auto kept = connection_.lock();
    return !kept || kept->is_over(turn_);
  }
  void on_gone(std::function<void()> then) override {
    if (const auto kept = connection_.lock()) kept->on_gone(turn_, std::move(then));
  }

 private:
  const std::weak_ptr<Connection> connection_;
  const Connection::Turn turn_;
  const HttpRequest request_;
};

}  // namespace ballot::web
