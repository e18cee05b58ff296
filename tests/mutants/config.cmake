ballot_mutant(text_with_overlong_characters_is_taken FILE runtime/config/text_check.cpp
  FIND "return overlong || surrogate ? 0 : 3;" REPLACE "return 3;"
  BY unit_config FILTER "TextCheck.*" FINDING "FAILED.*TextCheck.FindsWhatIsNotUtf8")
ballot_mutant(nul_is_text FILE runtime/config/text_check.cpp
  FIND "if (c == '\\0') return \"a NUL byte: this is no text file\";" REPLACE ""
  BY unit_config FILTER "TextCheck.*" FINDING "FAILED.*TextCheck.FindsNul")
ballot_mutant(keys_nest_as_deep_as_they_like FILE runtime/config/text_check.cpp
  FIND "if (++dots_ > deepest_key)" REPLACE "if (false)"
  BY unit_config FILTER "TextCheck.*" FINDING "FAILED.*TextCheck.FindsKeysThatNestTooDeep")
ballot_mutant(dots_in_comments_count FILE runtime/config/text_check.cpp
  FIND "case '#': quote_ = Quote::comment; break;" REPLACE "case '#': break;"
  BY unit_config FILTER "TextCheck.*" FINDING "FAILED.*TextCheck.LeavesDots")
ballot_mutant(names_have_dots FILE runtime/config/names.cpp
  FIND "is_word(text, \"_-\")" REPLACE "is_word(text, \"_-.\")"
  BY unit_config FILTER "Names.*" FINDING "FAILED.*Names.AreLettersDigits")
ballot_mutant(variables_begin_with_digits FILE runtime/base/env_words.cpp
  FIND "return !text.empty() && is_letter(text.front()) &&" REPLACE "return !text.empty() &&"
  BY unit_config FILTER "Names.*" FINDING "FAILED.*Names.OfVariables")
ballot_mutant(swapped_letters_are_two_slips FILE runtime/config/names.cpp
  FIND "row[j] = std::min(row[j], before_last[j - 2] + 1);" REPLACE "(void)before_last;"
  BY unit_config FILTER "Nearest.*" FINDING "FAILED.*Nearest.FindsSlips")
ballot_mutant(broken_file_is_taken_for_good FILE runtime/config/jobs_dir.cpp
  FIND "if (!has_errors(found.content.diagnostics)) found.state = Found::State::good;" REPLACE "found.state = Found::State::good;"
  BY unit_config FILTER "JobsDirTest.*" FINDING "FAILED.*JobsDirTest.KeepsTheLastGoodVersion")
ballot_mutant(unchanged_definition_is_a_change FILE runtime/config/jobs_dir.cpp
  FIND "if (same(**old, *next)) return;" REPLACE ""
  BY unit_config FILTER "JobsDirTest.*" FINDING "FAILED.*JobsDirTest")
ballot_mutant(removed_file_keeps_its_findings FILE runtime/config/jobs_dir.cpp
  FIND "    file_findings_.erase(found.name);" REPLACE "    (void)pass;"
  BY unit_config FILTER "JobsDirTest.*" FINDING "FAILED.*JobsDirTest.ForgetsABrokenFile")
ballot_mutant(second_of_a_name_is_silent FILE runtime/config/jobs_dir.cpp
  FIND "    if (other != first)\n" REPLACE "    if (false)\n"
  BY unit_config FILTER "JobsDirTest.*" FINDING "FAILED.*JobsDirTest.GivesANameToTheFirstFile")
ballot_mutant(instances_are_everywhere FILE runtime/config/jobs_dir.cpp
  FIND "return group == set_.groups.end() || may_lead(group->second, settings_.node);" REPLACE "return true;"
  BY unit_config FILTER "*" FINDING "FAILED")
ballot_mutant(hard_linked_crontab_is_trusted FILE runtime/config/crontab/crontab_file.cpp
  FIND "if (file->info.st_nlink != 1)" REPLACE "if (file->info.st_nlink > 2)"
  BY unit_config FILTER "CrontabFiles.*" FINDING "FAILED.*CrontabFiles.WithHardLinks")
ballot_mutant(crontab_of_anybody_is_trusted FILE runtime/config/crontab/crontab_file.cpp
  FIND "file.info.st_uid != invoker && !is_users" REPLACE "file.info.st_uid != invoker && !is_users && false"
  BY unit_config FILTER "CrontabFiles.*" FINDING "FAILED.*CrontabFiles.OfAUserBelong")
ballot_mutant(command_that_cron_ignores_runs FILE runtime/config/crontab/crontab.cpp
  FIND "return size <= longest_command_of_cron ||" REPLACE "return size <= longest_command_of_cron + 1 ||"
  BY unit_config FILTER "CrontabLimits.*" FINDING "FAILED.*CrontabLimits.OfACommand")
ballot_mutant(lines_that_cron_ignores_run FILE runtime/config/crontab/crontab.cpp
  FIND "if (line_ > last_line_of_cron) return" REPLACE "if (line_ > last_line_of_cron + 1) return"
  BY unit_config FILTER "CrontabLimits.*" FINDING "FAILED.*CrontabLimits.OfLines")
ballot_mutant(calendars_of_a_broken_file_count FILE runtime/config/jobs_dir.cpp
  FIND "if (const auto kept = calendars_.in_force().of_file(one.name); !kept.empty()) pass.calendars.put(one.name, kept);" REPLACE ""
  BY unit_config FILTER "CalendarFiles.*" FINDING "FAILED.*CalendarFiles.WithAnErrorKeep")
ballot_mutant(jobs_of_other_files_keep_a_calendar_that_was_edited FILE runtime/config/jobs_dir.cpp
  FIND "pass.calendars.differing(calendars_.in_force())" REPLACE "std::set<std::string>()"
  BY unit_config FILTER "CalendarFiles.*" FINDING "FAILED.*CalendarFiles.ChangeJobs")
ballot_mutant(an_icalendar_file_is_read_once FILE runtime/config/calendar_desk.cpp
  FIND "return one.second == 0 || !there || stamp_of(info) != one.second;" REPLACE "return false;"
  BY unit_config FILTER "CalendarFiles.*" FINDING "FAILED.*CalendarFiles.ReadICalendar")
ballot_mutant(cancelled_events_are_days FILE runtime/config/ical.cpp
  FIND "if (!event.cancelled && !event.fault) found_.days" REPLACE "if (!event.fault) found_.days"
  BY unit_config FILTER "Ical.*" FINDING "FAILED.*Ical.PassesOver")
ballot_mutant(a_digest_has_calendars_by_their_names_alone FILE runtime/config/job_keys.cpp
  FIND "if (draft.days.empty()) return digest.hex();" REPLACE "return digest.hex();"
  BY unit_config FILTER "Calendar*" FINDING "FAILED.*Calendars.ChangeTheDefinition")
ballot_mutant(jobs_after_a_circle_are_in_it FILE runtime/config/chain_survey.cpp
  FIND "const bool is_circle = open_.end() - begin > 1;" REPLACE "const bool is_circle = true;"
  BY unit_config FILTER "Chain*" FINDING "FAILED.*ChainSurvey.KnowsCircles")
ballot_mutant(rows_of_jobs_do_not_grow FILE runtime/config/chain_survey.cpp
  FIND "parent.place.row + 1" REPLACE "parent.place.row"
  BY unit_config FILTER "Chain*" FINDING "FAILED.*ChainFiles.AreAtMostSixtyFourJobsLong")
ballot_mutant(parents_without_slots_are_not_named FILE runtime/config/chain_links.cpp
  FIND "has_slots(parent)) return {};" REPLACE "true) return {};"
  BY unit_config FILTER "Chain*" FINDING "FAILED.*ChainFiles.AJobWithSlotsAfter")
ballot_mutant(keys_of_a_job_go_by_the_first_digits FILE runtime/config/job_keys.cpp
  FIND "digest.hex().substr(digits - kept)" REPLACE "digest.hex().substr(0, kept)"
  BY unit_config FILTER "KeysOf.*" FINDING "FAILED.*KeysOf.AJobSayWhatItsCalendarsSay")
