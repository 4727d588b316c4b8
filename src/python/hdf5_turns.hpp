#pragma once

namespace sterna::python {

/// Lets the engine and h5py take turns in using the HDF5 library that both share, by h5py's lock.
/// Afterwards another Python thread may read and write HDF5 files while a run writes its
/// trajectory.
void take_turns_with_h5py();

}  // namespace sterna::python
