#pragma once

namespace sterna::python {

/// Registers the translation of C++ exceptions to those of `sterna.errors`.
void register_exceptions();

}  // namespace sterna::python
