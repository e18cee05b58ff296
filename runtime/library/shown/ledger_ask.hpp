// ask_ledger: a question of the ledger that is part of another answer. It is asked in the name of whoever asked for
// that one, and dropped when its asker goes.
//
// Thread: the loop's.
//
//   ask_ledger(answer, {message, asker}, reply, [reply](const Result<io::Message>& rows) { ... });
#pragma once

#include <functional>

#include "ballot/error.hpp"
#include "io/question.hpp"

namespace ballot::library {

/// `answer`: who answers questions of the ledger. `then` is called once, or not at all where the asker has gone.
void ask_ledger(const io::Handler& answer, const io::Question& question, const io::Reply& reply,
                std::function<void(const Result<io::Message>&)> then);

}  // namespace ballot::library
