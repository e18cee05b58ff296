// The conformance suite of histories, compiled once for all of this tree.
#include "conformance/history_conformance.hpp"
