#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "md/model/snap.hpp"

namespace sterna::md {

/// A mistake in a file of a spectral neighbor analysis potential: "W.snapcoeff, line 3, column 1: ...".
class SnapFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The content of a SNAP potential's two files, in angstrom and eV.
struct SnapTables {
  SnapForm form;
  std::vector<SnapElement> elements;
};

/// Reads the files of LAMMPS's pair_style snap: one of coefficients (.snapcoeff) and one of parameters
/// (.snapparam). The names are for messages. Throws SnapFileError.
SnapTables read_snap_files(std::string_view coefficients, std::string_view coefficient_name,
                           std::string_view parameters, std::string_view parameter_name);

}  // namespace sterna::md
