ballot_mutant(a_wrong_token_is_nobodys FILE runtime/http/identity.cpp
  FIND "if (found == nullptr) return Error{Errc::denied, \"this token is not known here\"};"
  REPLACE "if (found == nullptr) return Caller{{.role = settings_.anonymous_viewer ? io::Role::viewer : io::Role::none, .key = place_of({}), .name = from}};"
  BY unit_web FILTER "Identities.*" FINDING "FAILED.*Identities.AreNobodysWhereATokenIsWrong")
ballot_mutant(every_proxy_is_trusted FILE runtime/http/identity.cpp
  FIND "return range.contains(*shown.address);" REPLACE "(void)range; return true;"
  BY unit_web FILTER "Identities.*" FINDING "FAILED.*Identities.OfAProxyThatIsNotTrusted")
ballot_mutant(a_proxy_lends_its_role FILE runtime/http/identity.cpp
  FIND "proxy_on_socket_ && !is_own ? io::Role::none : roles_.of(shown.peer)" REPLACE "roles_.of(shown.peer)"
  BY unit_web FILTER "Identities.*" FINDING "FAILED.*Identities.OfAProxyOnTheSocketThatNamesNobody")
ballot_mutant(a_proxy_on_the_socket_raises_roles FILE runtime/http/identity.cpp
  FIND "role = std::min(role, roles_.of(shown.peer));" REPLACE "role = std::max(role, roles_.of(shown.peer));"
  BY unit_web FILTER "Identities.*" FINDING "FAILED.*Identities.OfAProxyOnTheSocketHaveNoHigherRole")
ballot_mutant(a_line_of_tokens_shows_its_secret FILE runtime/http/tokens.cpp
  FIND "return invalid(\"a line has three words: NAME ROLE SHA256-OF-TOKEN\");"
  REPLACE "return invalid(\"a line has three words: \" + std::string(words.back()));"
  BY unit_web FILTER "Tokens.*" FINDING "FAILED.*Tokens.OfAFileThatIsWrong")
ballot_mutant(tokens_are_known_by_their_first_half FILE runtime/http/tokens.cpp
  FIND "one.hash.data(), hash.data(), hash.size()" REPLACE "one.hash.data(), hash.data(), 0"
  BY unit_web FILTER "Tokens.*" FINDING "FAILED.*Tokens.AreFoundByWhatIsHashed")
ballot_mutant(tokens_are_read_from_any_file FILE runtime/http/token_file.cpp
  FIND "io::read_trusted_file(path_, io::Readers::owner)" REPLACE "io::read_trusted_file(path_, io::Readers::anyone)"
  BY unit_web FILTER "TokenFiles.*" FINDING "FAILED.*TokenFiles.ThatOthersMayRead")
ballot_mutant(a_broken_file_takes_all_tokens_away FILE runtime/http/token_file.cpp
  FIND "  if (!tokens) return error_in(tokens.error());" REPLACE "  if (!tokens) return tokens_ = Tokens(), error_in(tokens.error());"
  BY unit_web FILTER "TokenFiles.*" FINDING "FAILED.*TokenFiles.ThatBecomeWrong")
ballot_mutant(headers_may_be_there_twice FILE runtime/http/request_head.cpp
  FIND "if (fields.count(name) > 1) return" REPLACE "if (fields.count(name) > 2) return"
  BY unit_web FILTER "Requests.*" FINDING "FAILED.*Requests.ThatTwoReaders")
ballot_mutant(a_token_may_be_in_a_url FILE runtime/http/request_head.cpp
  FIND "if (shows_token_in_url(head.target))" REPLACE "if (false)"
  BY unit_web FILTER "Requests.*" FINDING "FAILED.*Requests.WithATokenInTheirUrl")
ballot_mutant(pages_of_other_sites_may_send FILE runtime/http/request_head.cpp
  FIND "return !from || (*from != head.host && from != host_of_url(settings.advertise));" REPLACE "return !from;"
  BY unit_web FILTER "WebServer.*" FINDING "FAILED.*WebServer.RefusesWhatAPageOfAnotherSite")
ballot_mutant(a_folded_header_is_read FILE runtime/http/request_reader.cpp
  FIND "if (is_folded) return failed(" REPLACE "if (false) return failed("
  BY unit_web FILTER "Requests.*" FINDING "FAILED.*Requests.ThatTwoReaders")
ballot_mutant(a_path_may_go_up FILE runtime/http/target.cpp
  FIND " || *segment == \"..\")" REPLACE ")"
  BY unit_web FILTER "Target.*" FINDING "FAILED.*Target.ThatCouldBeUnderstood")
ballot_mutant(a_header_of_an_answer_may_end_early FILE runtime/http/response_text.cpp
  FIND "if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) text += c;" REPLACE "text += c;"
  BY unit_web FILTER "Responses.*" FINDING "FAILED.*Responses.EndNoHeader")
ballot_mutant(roles_are_not_compared FILE runtime/http/reception.cpp
  FIND "if (caller->asker.role < needed)" REPLACE "if (caller->asker.role < needed && needed > io::Role::viewer)"
  BY unit_web FILTER "WebServer.*" FINDING "FAILED.*WebServer.RefusesAUserOfAProxyWhoseGroups")
ballot_mutant(strangers_take_all_places FILE runtime/http/places.cpp
  FIND "if (!is_known && of_unknown_ >= limits_.requests / 2)" REPLACE "if (false)"
  BY unit_web FILTER "PlacesTest.*" FINDING "FAILED.*PlacesTest.ForRequestsOfWhoShowsNothing")
ballot_mutant(a_bucket_is_full_at_each_look FILE runtime/http/rates.cpp
  FIND "bucket = {left_at(bucket, now), now};" REPLACE "bucket = {limit_.at_once, now};"
  BY unit_web FILTER "Rates.*" FINDING "FAILED.*Rates.LetSoMany")
ballot_mutant(a_slot_that_a_retry_has_healed_has_failed FILE runtime/library/shown/ledger_answers.cpp
  FIND "!last.empty()) --last.mapped()->slots" REPLACE "false) --last.mapped()->slots"
  BY unit_library FILTER "ShownLedger.*" FINDING "FAILED.*ShownLedger.ASlotThatARetry")
