// The conformance suite of histories: what ballot/history.hpp says, as tests that any plugin can run against its real
// server. Include it in one file, and instantiate it (see history_under_test.hpp): HistoryConformance, and
// HistoryReading.
#pragma once

#include "conformance/history_fixture.hpp"
#include "conformance/history_kind_tests.hpp"
#include "conformance/history_put_tests.hpp"
#include "conformance/history_read_tests.hpp"
