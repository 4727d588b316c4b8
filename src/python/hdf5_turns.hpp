#pragma once

namespace sterna::python {

/// Lets the engine and h5py take turns with the HDF5 library that both use, by h5py's own lock. From
/// then on another thread of Python may read and write HDF5 files while a run writes its trajectory.
void take_turns_with_h5py();

}  // namespace sterna::python
