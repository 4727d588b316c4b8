#pragma once

#include <memory>

#include "md/input/barostat_row.hpp"
#include "md/integrate/barostats/barostat.hpp"

namespace sterna::md {

/// The rows, each defined in the barostat's own file.
namespace barostat {
#define STERNA_BAROSTAT(name) BarostatRow name();
#include "md/integrate/barostats/barostat_list.inc"
#undef STERNA_BAROSTAT
}  // namespace barostat

/// All of them, in the order of the reference page.
const Registry<BarostatRow>& barostat_table();

/// The usual way: `Kind` has a constructor that takes the request.
template <class Kind>
std::unique_ptr<Barostat> make_barostat(const BarostatRequest& request) {
  return made_from<Kind, Barostat>(request);
}

/// Makes the barostat of [barostat]; null if its kind is "none".
std::unique_ptr<Barostat> make_barostat(const BarostatRequest& request);

}  // namespace sterna::md
