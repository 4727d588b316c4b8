#include "md/input/foreign_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "md/core/lower_case.hpp"

namespace sterna::md {
namespace {

enum class FileKind { structure, trajectory, topology, compressed };

struct ForeignFile {
  std::string_view ending;  ///< of the file's name, in lower case
  FileKind kind;
  std::string_view what;
};

constexpr std::array files{
    ForeignFile{".gro", FileKind::structure, "a structure of GROMACS"},
    ForeignFile{".g96", FileKind::structure, "a structure of GROMOS"},
    ForeignFile{".pdb", FileKind::structure, "a structure in PDB format"},
    ForeignFile{".cif", FileKind::structure, "a structure in CIF format"},
    ForeignFile{".mol2", FileKind::structure, "a structure in MOL2 format"},
    ForeignFile{".vasp", FileKind::structure, "a structure of VASP"},
    ForeignFile{".inpcrd", FileKind::structure, "a structure of AMBER"},
    ForeignFile{".rst7", FileKind::structure, "a structure of AMBER"},
    ForeignFile{".xtc", FileKind::trajectory, "a trajectory of GROMACS"},
    ForeignFile{".trr", FileKind::trajectory, "a trajectory of GROMACS"},
    ForeignFile{".dcd", FileKind::trajectory, "a trajectory in DCD format"},
    ForeignFile{".top", FileKind::topology, "a topology of GROMACS"},
    ForeignFile{".itp", FileKind::topology, "a topology of GROMACS"},
    ForeignFile{".tpr", FileKind::topology, "a run input of GROMACS"},
    ForeignFile{".prmtop", FileKind::topology, "a topology of AMBER"},
    ForeignFile{".parm7", FileKind::topology, "a topology of AMBER"},
    ForeignFile{".psf", FileKind::topology, "a topology in PSF format"},
    ForeignFile{".gz", FileKind::compressed, "gunzip"},
    ForeignFile{".bz2", FileKind::compressed, "bunzip2"},
    ForeignFile{".xz", FileKind::compressed, "unxz"},
    ForeignFile{".zst", FileKind::compressed, "unzstd"},
    ForeignFile{".zip", FileKind::compressed, "unzip"},
};

}  // namespace

std::optional<std::string> foreign_file_advice(std::string_view path) {
  const std::string name = lower_case(path.substr(path.rfind('/') + 1));
  const auto found = std::ranges::find_if(
      files, [&](const ForeignFile& file) { return name.ends_with(file.ending); });
  ForeignFile file{};
  if (found != files.end()) {
    file = *found;
  } else if (name.starts_with("poscar") || name.starts_with("contcar")) {
    file = {"", FileKind::structure, "a structure of VASP"};
  } else {
    return std::nullopt;
  }
  constexpr std::string_view conversion =
      "extended XYZ (by ASE: pip install ase; ase convert FROM start.extxyz; in angstrom)";
  switch (file.kind) {
    case FileKind::structure:
      return fmt::format(
          "is {}, which is no start file; sterna import makes an input and a start of it where it "
          "is of molecules; of particles without bonds make {}",
          file.what, conversion);
    case FileKind::trajectory:
      return fmt::format("is {}, which is no start file; make {} of one of its frames", file.what,
                         conversion);
    case FileKind::topology:
      return fmt::format(
          "is {}, which is no start file; sterna import makes an input of it and of its structure",
          file.what);
    case FileKind::compressed:
      return fmt::format("is compressed; unpack it first: {} {}", file.what,
                         path.substr(path.rfind('/') + 1));
  }
  return std::nullopt;
}

}  // namespace sterna::md
