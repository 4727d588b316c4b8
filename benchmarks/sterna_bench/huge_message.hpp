#pragma once

#include "report.hpp"
#include "sterna/comm/context.hpp"

namespace sterna::bench {

/// An array of 2^31 + 8 bytes, more than an int counts, from rank 0 to rank 1 of two, by every way
/// of `Messenger` and every transport that works; every item is checked. A row for each, whose time
/// includes filling and checking. Collective. Throws comm::Error on all ranks where an item is
/// wrong.
void send_huge_messages(const comm::Context& world, Report& report);

}  // namespace sterna::bench
