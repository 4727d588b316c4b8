#pragma once

namespace sterna::md::hdf5 {

/// The Python environment that this program was built in; null for a package, which is built in a
/// folder that is gone later. In a file of its own, as its text is another in each clone.
const char* build_environment();

}  // namespace sterna::md::hdf5
