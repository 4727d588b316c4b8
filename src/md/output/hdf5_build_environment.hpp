#pragma once

namespace sterna::md::hdf5 {

/// The Python environment in which this program was built. Null for a package, because its build
/// folder does not exist later. It has a file of its own, because the path differs in each clone.
const char* build_environment();

}  // namespace sterna::md::hdf5
