#include "config/crontab/shell_words.hpp"

#include <algorithm>
#include <utility>

namespace ballot::config {
namespace {

constexpr std::string_view ends_of_commands = ";&|(){}`\n";

class ShellReader {
 public:
  explicit ShellReader(std::string_view text) : text_(text) {}

  std::vector<ShellCommand> read() {
    for (; at_ < text_.size(); ++at_) take(text_[at_]);
    end_command();
    return std::move(commands_);
  }

 private:
  enum class Next { word, target, other_file };  // of the word that is read

  void take(char c) {
    const bool is_amount = next_ != Next::word && c == '&';  // of `2>&1`
    if (c == '\'' || c == '"') return take_quoted(c);
    if (c == '$' && text_.substr(at_ + 1, 1) == "(") return take_substitution();
    if (c == '`' && text_.find('`', at_ + 1) != std::string_view::npos) return take_until(text_.find('`', at_ + 1));
    if (c == '\\' && at_ + 1 < text_.size()) return take_letter(text_[++at_]);
    if (c == '>' || c == '<') return begin_redirection(c);
    if (is_amount) return;
    if (c == ' ' || c == '\t') return end_word();
    if (ends_of_commands.find(c) != std::string_view::npos) return end_command();
    take_letter(c);
  }

  void take_letter(char c) {
    word_ += c;
    has_word_ = true;
  }

  /// Takes the text of a quote; a quote that is not closed ends with the line.
  void take_quoted(char quote) {
    has_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      word_ += text_[at_];
    }
  }

  /// What another command prints is a part of the word: `$(date +%u)`, up to the bracket that closes it.
  void take_substitution() {
    std::size_t open = 0, end = at_ + 1;
    for (; end < text_.size(); ++end) {
      if (text_[end] == '(') ++open;
      if (text_[end] == ')' && --open == 0) break;
    }
    take_until(end);
  }

  void take_until(std::size_t last) {
    for (last = std::min(last, text_.size() - 1); at_ < last; ++at_) take_letter(text_[at_]);
    take_letter(text_[at_]);
  }

  void begin_redirection(char c) {
    const bool is_descriptor = word_.size() == 1 && word_[0] >= '0' && word_[0] <= '9';
    if (is_descriptor) word_.clear(), has_word_ = false;
    end_word();
    next_ = c == '>' ? Next::target : Next::other_file;
  }

  void end_word() {
    if (!has_word_) return;
    const bool is_file = word_ != "/dev/null" && (word_.size() > 1 || word_[0] < '0' || word_[0] > '9');
    if (next_ == Next::word)
      command_.words.push_back(word_);
    else if (next_ == Next::target && is_file && command_.target.empty())
      command_.target = word_;
    next_ = Next::word;
    word_.clear();
    has_word_ = false;
  }

  void end_command() {
    end_word();
    next_ = Next::word;
    if (!command_.words.empty()) commands_.push_back(std::move(command_));
    command_ = {};
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string word_;
  bool has_word_ = false;
  Next next_ = Next::word;
  ShellCommand command_;
  std::vector<ShellCommand> commands_;
};

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text) { return ShellReader(text).read(); }

}  // namespace ballot::config
