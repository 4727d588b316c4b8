#pragma once

#include <memory>

#include "md/input/barostat_kind.hpp"
#include "md/integrate/barostats/barostat.hpp"

namespace sterna::md {

/// A row of the table of barostats: its description for the input, and its factory.
struct BarostatRow {
  BarostatKind (*kind)() = nullptr;
  std::unique_ptr<Barostat> (*make)(const BarostatRequest& request) = nullptr;
};

/// The rows; each is defined in the barostat's own file.
namespace barostat {
#define STERNA_BAROSTAT(name) extern const BarostatRow name;
#include "md/integrate/barostats/barostat_list.inc"
#undef STERNA_BAROSTAT
}  // namespace barostat

/// The barostat of the section [barostat]; null if its kind is "none".
std::unique_ptr<Barostat> make_barostat(const BarostatRequest& request);

}  // namespace sterna::md
