#pragma once

#include "md/input/input_schema.hpp"

namespace sterna::md::section {

/// The sections of modifiers that change motions directly: [[freeze]], [[drift_control]], [[limit]]
/// and [alignment].
InputSection freeze();
InputSection drift_control();
InputSection limit();
InputSection alignment();

}  // namespace sterna::md::section
