#include "config/crontab/crontab.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "base/utf8.hpp"
#include "config/crontab/crontab_setting.hpp"
#include "config/crontab/crontab_time.hpp"
#include "config/names.hpp"

namespace ballot::config {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::size_t longest_crontab_line = 32 * 1024;  // its job must fit into the lines of a job file
constexpr std::size_t time_fields = 5;

// The limits of Debian's cron (MAX_COMMAND, MAX_ENVSTR and MAX_TAB_LINES of its cron.h, as its functions apply them).
constexpr std::size_t longest_command_of_cron = 998;
constexpr std::size_t longest_setting_of_cron = 998;  // a whole line; the rest of it is not read
constexpr int last_line_of_cron = 10'003;             // that is no comment

/// Characters that look like a space or like nothing, and are letters to cron and the shell.
constexpr bool is_odd_blank(char32_t c) {
  return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200b) || c == 0x202f || c == 0x205f || c == 0x2060 ||
         c == 0x3000 || c == 0xfeff || (c >= 0x80 && is_display_control(c));
}

std::string name_of(char32_t character) {
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(character));
  return name.data();
}

std::string_view from_word(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

/// `\%` is a percent sign and `\\` a backslash; a percent sign alone ends the command.
std::string take_command(std::string_view& text) {
  std::string command;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '%') break;
    if (c == '\\' && !text.empty() && (text.front() == '%' || text.front() == '\\')) {
      command += text.front();
      text.remove_prefix(1);
    } else if (c == '\\' && !text.empty()) {
      command += {c, text.front()};
      text.remove_prefix(1);
    } else {
      command += c;
    }
  }
  return command;
}

/// The standard input that stands behind the first percent sign of a line: each percent sign is a line's end, `\%` is a
/// percent sign, and the last line gets an end.
std::string input_of_command(std::string_view text) {
  std::string input;
  bool is_open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '%';
    if (is_escape) ++i;
    input += text[i] == '%' && !is_escape ? '\n' : text[i];
    is_open = input.back() != '\n' && (text[i] != '\\' || is_open);
  }
  return is_open ? input + '\n' : input;
}

bool is_setting(const std::optional<std::variant<CrontabSetting, CrontabFault>>& setting) {
  return setting && std::holds_alternative<CrontabSetting>(*setting);
}

/// Reads a crontab line by line. A setting applies to the lines below it.
class CrontabReader {
 public:
  CrontabReader(std::string_view file, CrontabForm form, Crontab& crontab)
      : form_(form), crontab_(crontab), findings_(file, crontab.diagnostics) {}

  void read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_) {
      const std::size_t end = text.find('\n');
      whole_ = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      const std::string_view rest = from_word(whole_);
      if (rest.empty() || rest == "\r" || rest.front() == '#') continue;
      if (line_ > last_line_of_cron) return leave_out_the_rest();
      if (!is_readable(end != std::string_view::npos)) continue;
      const auto setting = read_crontab_setting(rest.substr(0, longest_setting_of_cron));
      if (rest.size() > longest_setting_of_cron && !is_setting(setting) && is_setting(read_crontab_setting(rest)))
        error(at(rest),
              "cron reads the first 998 bytes of a line with a setting, and refuses the crontab for what is "
              "left of this one; shorten it. The lines below are imported without it");
      else if (setting)
        read_setting(*setting, rest);
      else
        read_entry(rest);
    }
  }

 private:
  /// The position of a byte of the line; columns count characters.
  Position at(std::size_t byte) const {
    const auto characters = std::count_if(whole_.begin(), whole_.begin() + static_cast<std::ptrdiff_t>(byte),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    return {line_, static_cast<int>(characters) + 1};
  }
  Position at(std::string_view part) const { return at(static_cast<std::size_t>(part.data() - whole_.data())); }

  bool is_readable(bool ended) {
    if (const std::size_t nul = whole_.find('\0'); nul != std::string_view::npos)
      return error(at(nul), "a NUL byte: this is no text file");
    if (whole_.starts_with("\xEF\xBB\xBF"))
      return error({line_, 1}, "a byte order mark, which cron does not take; save the file without it");
    if (whole_.size() > longest_crontab_line)
      return error({line_, 1}, "the line is longer than 32 KiB; put its command into a script");
    for (std::size_t i = 0; i < whole_.size();) {
      const std::size_t length = utf8_length(whole_.substr(i));
      if (length == 0) return error(at(i), "this is not UTF-8, and a job file is; convert the line, with iconv");
      i += length;
    }
    return ended || error(at(whole_.size()), "no newline ends the last line: cron refuses the crontab; add one");
  }

  void leave_out_the_rest() {
    error({line_, 1},
          "cron ignores a crontab with a line below line 10003 that is no comment: none of its lines has run there. "
          "This line and those below it are left out; cut the crontab into several");
  }

  /// An odd blank, and the byte of the line at which it stands.
  struct OddBlank {
    std::size_t at;
    std::string name;
  };
  std::optional<OddBlank> find_odd_blank(std::size_t begin, std::size_t end) const {
    while (begin < end) {
      const std::size_t length = utf8_length(whole_.substr(begin));
      const char32_t character = utf8_character(whole_.substr(begin), length);
      if (is_odd_blank(character)) return OddBlank{begin, name_of(character)};
      begin += length;
    }
    return std::nullopt;
  }

  /// Whether times or the name of a user have no odd blank, which cron would take for a part of the word.
  bool has_no_odd_blank(std::size_t begin, std::size_t end) {
    const auto odd = find_odd_blank(begin, end);
    return !odd ||
           error(at(odd->at), odd->name + " is no blank for cron, which refuses the crontab for it; write a space");
  }

  /// Warns of an odd blank in a command or a value, where cron accepts it.
  void warn_of_odd_blank(std::size_t begin) {
    if (const auto odd = find_odd_blank(begin, whole_.size()))
      findings_.warning(at(odd->at),
                        odd->name +
                            " cannot be seen, or looks like a space, and is a part of the word for cron and "
                            "the shell; write a space if one is meant");
  }

  void read_setting(const std::variant<CrontabSetting, CrontabFault>& read, std::string_view rest) {
    if (const auto* fault = std::get_if<CrontabFault>(&read)) {
      error(at(rest.substr(fault->at)), fault->text);
      return;
    }
    const auto& [name, value, bare] = std::get<CrontabSetting>(read);
    if (!is_variable_name(name) || name.starts_with("BALLOT_")) {
      error(at(rest), in_quotes(name) +
                          " is no name of a variable that a job file may set: letters, digits and '_', no digit "
                          "first, and not BALLOT_; the lines below are imported without it");
      return;
    }
    if (rest.size() > longest_setting_of_cron)
      findings_.warning(at(rest),
                        "cron reads the first 998 bytes of a line with a setting, and so does the job: the "
                        "value ends there; shorten it, or set it in the job file");
    warn_of_odd_blank(static_cast<std::size_t>(rest.data() - whole_.data()));
    if (bare)
      findings_.warning(at(rest), "Debian's cron refuses the crontab for this line; taken as " + name + "=\"\"");
    warn_of(name, value, at(rest));
    settings_[name] = value;
  }

  void warn_of(std::string_view name, std::string_view value, Position place) {
    if (name == "CRON_TZ")
      findings_.warning(place,
                        "the jobs below go by this zone. Debian's cron knows no CRON_TZ and ran them by the machine's: "
                        "remove the line to keep that");
    if (name == "MAILTO" && !value.empty() && !is_mailed_to(value))
      findings_.warning(place,
                        "cron refuses to mail " + in_quotes(value) +
                            ", and the jobs below mail nobody; mail_to takes addresses with commas between them");
    if (name == "LOGNAME") findings_.warning(place, "cron overwrites LOGNAME, and so does the job");
    if (name == "MAILFROM" || name == "CONTENT_TYPE" || name == "CONTENT_TRANSFER_ENCODING")
      findings_.warning(place, std::string(name) + " means nothing for the mails of a job, which say what they are");
  }

  void read_entry(std::string_view rest) {
    CrontabEntry entry;
    entry.at = at(rest);
    std::vector<CrontabWord> words;
    const std::size_t wanted = rest.front() == '@' ? 1 : time_fields;
    for (; words.size() < wanted && !rest.empty(); rest = from_word(rest)) {
      const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
      words.push_back({rest.substr(0, end), static_cast<std::size_t>(rest.data() - whole_.data())});
      rest.remove_prefix(end);
    }
    const std::size_t end_of_times = words.back().at + words.back().text.size();
    if (!has_no_odd_blank(words.front().at, end_of_times)) return;
    if (words.size() < wanted) {
      error(entry.at, "cron wants NAME = VALUE, or five times and a command; this is neither");
      return;
    }
    std::vector<CrontabFault> faults;
    entry.schedule = crontab_schedule(words, faults);
    for (CrontabFault& fault : faults) error(at(fault.at), std::move(fault.text));
    if (faults.empty() && read_user(entry, rest) && read_command(entry, rest)) {
      entry.settings = settings_;
      crontab_.entries.push_back(std::move(entry));
    }
  }

  /// Reads the column of the user, and removes it from `rest`.
  bool read_user(CrontabEntry& entry, std::string_view& rest) {
    if (rest.starts_with('*')) return error(at(rest), "a sixth field: cron has no seconds; write five times");
    if (form_ == CrontabForm::user) {
      if (rest.starts_with("root ") || rest.starts_with("root\t"))
        findings_.warning(at(rest), "the command is 'root'; if this is a system crontab, add --system");
      return true;
    }
    const std::size_t end = std::min(rest.find_first_of(blanks), rest.size());
    entry.user = rest.substr(0, end);
    entry.user_at = at(rest);
    const auto begin = static_cast<std::size_t>(rest.data() - whole_.data());
    if (!has_no_odd_blank(begin, begin + end)) return false;
    rest = from_word(rest.substr(end));
    return !rest.empty() || entry.user.empty() ||
           error(entry.user_at, "a command is missing behind the user " + in_quotes(entry.user) +
                                    "; of a user's crontab say --user NAME");
  }

  bool read_command(CrontabEntry& entry, std::string_view rest) {
    const Position place = at(rest);
    if (whole_.ends_with('\r'))
      return error(
          at(whole_.size() - 1),
          "the line ends with a carriage return, which cron hands to the command; remove it: sed -i 's/\\r$//'");
    if (!fits_into_cron(rest)) return false;
    warn_of_odd_blank(static_cast<std::size_t>(rest.data() - whole_.data()));
    entry.command = take_command(rest);
    entry.input = input_of_command(rest);
    return !entry.command.empty() || error(place, "a command is missing");
  }

  /// Whether the command has at most as many bytes as cron takes. Cron counts from the first blank behind the user to
  /// the end of the line, the standard input included.
  bool fits_into_cron(std::string_view command) {
    auto begin = static_cast<std::size_t>(command.data() - whole_.data());
    const auto is_blank = [&](std::size_t i) { return blanks.find(whole_[i]) != std::string_view::npos; };
    while (form_ == CrontabForm::system && begin > 1 && is_blank(begin - 1) && is_blank(begin - 2)) --begin;
    const std::size_t size = whole_.size() - begin;
    return size <= longest_command_of_cron ||
           error(at(command),
                 "the command has " + std::to_string(size) +
                     " bytes: Debian's cron ignores the whole crontab for one of 999 or more, so that none "
                     "of its lines has run there; put the command into a script");
  }

  bool error(Position place, std::string text) {
    findings_.error(place, std::move(text));
    return false;
  }

  CrontabForm form_;
  Crontab& crontab_;
  Findings findings_;
  std::map<std::string, std::string> settings_;
  std::string_view whole_;
  int line_ = 0;
};

}  // namespace

Crontab read_crontab(std::string_view text, std::string_view file, CrontabForm form) {
  Crontab crontab;
  CrontabReader(file, form, crontab).read(text);
  return crontab;
}

}  // namespace ballot::config
