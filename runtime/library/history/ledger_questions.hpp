// LedgerQuestions: the calls of a LedgerView as messages: a question is {"do": "ledger", "ask": the call's name, its
// arguments}, and its answer one message. Rows come in pages: whoever wants more asks again, from where a page ended,
// so that a slow reader keeps nothing open.
//
//   who                     | uses
//   RemoteLedger (app)      | question(), and ledger_wire.hpp to read the answer
//   LedgerDesk              | answer_question()
//
// Pure but for the ledger that is asked.
//
//   const io::Message answer = answer_question(*ledger, question);
#pragma once

#include <string>
#include <vector>

#include "ballot/error.hpp"
#include "io/message.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::library {

inline constexpr std::int64_t page_rows = 1000;     // of an answer, at most
inline constexpr std::size_t names_at_once = 1000;  // of a question for the last statuses of jobs

/// Of so many jobs the newest rows are asked for at once: of all of them no more than a page.
std::size_t jobs_at_once(const storage::Filter& filter);

io::Message question(const std::string& call);

/// Errors: those of the ledger; invalid (no such question).
Result<io::Message> answer_question(LedgerView& ledger, const io::Message& asked);

/// LedgerView::states() as answers have them.
std::vector<io::Message> states_of(const LedgerView& ledger);

/// The ledger's file may lack what the daemon has recorded last: the question is asked once that is in it. Rows as they
/// change are asked for often, and are a moment late instead.
bool wants_newest(const io::Message& asked);

}  // namespace ballot::library
