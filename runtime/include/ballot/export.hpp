/// \file
/// What libballot.so shows: all else in it is hidden.
#pragma once

/// Marks it.
#define BALLOT_API __attribute__((visibility("default")))
