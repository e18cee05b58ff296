// The conformance suite, compiled once for all backends of this tree.
#include "conformance/backend_conformance.hpp"
