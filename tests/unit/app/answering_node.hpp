// AnsweringNode: a node with one job file, whose daemon answers its socket as the test says.
//
//   AnsweringNode node("[job.a]\ncommand = [\"true\"]\n", [](const io::Message& asked, const io::Reply& reply) { ...
//   }); const Ran ran = node.asked({"kill", "a"});
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/control_server.hpp"
#include "io/main_loop.hpp"
#include "support/temp_folder.hpp"
#include "unit/app/ballot_program.hpp"

namespace ballot::app {

class AnsweringNode {
 public:
  using Answer = std::function<void(const io::Message& asked, const io::Reply& reply)>;

  AnsweringNode(const std::string& jobs, Answer answer) {
    std::filesystem::create_directory(folder_ / "jobs.d");
    folder_.write("jobs.d/a.toml", jobs);
    config_ =
        folder_.write("ballot.toml", "node = \"host-1\"\njobs_dir = \"" + folder_ / "jobs.d" + "\"\nstate_dir = \"" +
                                         folder_.path() + "\"\nrun_dir = \"" + folder_.path() + "\"\n");
    auto made =
        io::ControlServer::listen(loop_.context(), folder_ / "ballot.sock", roles_,
                                  [answer = std::move(answer)](const io::Question& question, const io::Reply& reply) {
                                    answer(question.message, reply);
                                  });
    if (made) server_ = *std::move(made);
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~AnsweringNode() {
    loop_.post([this] { server_.reset(), loop_.stop(); });
    thread_.join();
  }
  AnsweringNode(const AnsweringNode&) = delete;
  AnsweringNode& operator=(const AnsweringNode&) = delete;

  const std::string& config() const { return config_; }
  std::string ledger() const { return folder_ / "history.db"; }
  testing::Ran asked(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--config", config_});
    return testing::ballot(std::move(arguments));
  }

 private:
  TempFolder folder_;
  std::string config_;
  io::Roles roles_;
  io::MainLoop loop_;
  std::unique_ptr<io::ControlServer> server_;
  std::thread thread_;
};

}  // namespace ballot::app
