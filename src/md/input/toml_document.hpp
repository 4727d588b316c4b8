#pragma once

#include <optional>

#include "md/input/input_reading.hpp"

namespace sterna::md {

/// The text of an input as a TOML document. If it is not valid TOML, reports this and returns
/// nothing.
std::optional<toml::table> toml_document(InputReading& reading);

}  // namespace sterna::md
