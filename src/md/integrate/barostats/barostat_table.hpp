#pragma once

#include <memory>

#include "md/input/barostat_kind.hpp"
#include "md/integrate/barostats/barostat.hpp"

namespace sterna::md {

/// A kind of barostat: what the input knows of it, and the way to make it.
struct BarostatRow {
  BarostatKind (*kind)() = nullptr;
  std::unique_ptr<Barostat> (*make)(const BarostatRequest& request) = nullptr;
};

/// The rows, each defined in the barostat's own file.
namespace barostat {
#define STERNA_BAROSTAT(name) extern const BarostatRow name;
#include "md/integrate/barostats/barostat_list.inc"
#undef STERNA_BAROSTAT
}  // namespace barostat

/// What keeps the pressure as [barostat] says; null where its kind is "none".
std::unique_ptr<Barostat> make_barostat(const BarostatRequest& request);

}  // namespace sterna::md
