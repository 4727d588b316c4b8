#pragma once

namespace sterna::python {

/// C++ exceptions become those of `sterna.errors`.
void register_exceptions();

}  // namespace sterna::python
