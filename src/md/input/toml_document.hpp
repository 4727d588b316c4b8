#pragma once

#include <optional>

#include "md/input/input_reading.hpp"

namespace sterna::md {

/// The text of an input as a TOML document. Nothing where it is none, which is reported.
std::optional<toml::table> toml_document(InputReading& reading);

}  // namespace sterna::md
