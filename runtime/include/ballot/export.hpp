// What libballot.so shows: all else in it is hidden.
#pragma once

#define BALLOT_API __attribute__((visibility("default")))
