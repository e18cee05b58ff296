// The conformance suite of backends: what the five promises of a backend come to, as tests that any plugin can run
// against its real server. Include it in one file, and instantiate it (see backend_under_test.hpp).
#pragma once

#include "conformance/backend_fixture.hpp"
#include "conformance/election_tests.hpp"
#include "conformance/fault_tests.hpp"
#include "conformance/name_tests.hpp"
#include "conformance/observation_tests.hpp"
#include "conformance/record_tests.hpp"
#include "conformance/register_tests.hpp"
#include "conformance/session_tests.hpp"
#include "conformance/watch_tests.hpp"
