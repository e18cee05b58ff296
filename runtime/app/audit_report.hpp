// AuditReport: what an audit has found, for people and for programs.
//
// Threads: the main one.
//
//   print_audit(std::cout, *ledger->audit(jobs, scope), Format::table);
#pragma once

#include <iosfwd>

#include "app/format.hpp"
#include "library/history/ledger_view.hpp"

namespace ballot::app {

/// Table or JSON.
void print_audit(std::ostream& out, const library::AuditResult& result, Format format);

}  // namespace ballot::app
