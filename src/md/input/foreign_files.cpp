#include "md/input/foreign_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sterna::md {
namespace {

enum class Kind { structure, trajectory, topology, compressed };

struct ForeignFile {
  std::string_view ending;  ///< of the name, in small letters
  Kind kind;
  std::string_view what;
};

constexpr std::array files{
    ForeignFile{".gro", Kind::structure, "a structure of GROMACS"},
    ForeignFile{".g96", Kind::structure, "a structure of GROMOS"},
    ForeignFile{".pdb", Kind::structure, "a structure in PDB format"},
    ForeignFile{".cif", Kind::structure, "a structure in CIF format"},
    ForeignFile{".mol2", Kind::structure, "a structure in MOL2 format"},
    ForeignFile{".vasp", Kind::structure, "a structure of VASP"},
    ForeignFile{".inpcrd", Kind::structure, "a structure of AMBER"},
    ForeignFile{".rst7", Kind::structure, "a structure of AMBER"},
    ForeignFile{".xtc", Kind::trajectory, "a trajectory of GROMACS"},
    ForeignFile{".trr", Kind::trajectory, "a trajectory of GROMACS"},
    ForeignFile{".dcd", Kind::trajectory, "a trajectory in DCD format"},
    ForeignFile{".top", Kind::topology, "a topology of GROMACS"},
    ForeignFile{".itp", Kind::topology, "a topology of GROMACS"},
    ForeignFile{".tpr", Kind::topology, "a run input of GROMACS"},
    ForeignFile{".prmtop", Kind::topology, "a topology of AMBER"},
    ForeignFile{".parm7", Kind::topology, "a topology of AMBER"},
    ForeignFile{".psf", Kind::topology, "a topology in PSF format"},
    ForeignFile{".gz", Kind::compressed, "gunzip"},
    ForeignFile{".bz2", Kind::compressed, "bunzip2"},
    ForeignFile{".xz", Kind::compressed, "unxz"},
    ForeignFile{".zst", Kind::compressed, "unzstd"},
    ForeignFile{".zip", Kind::compressed, "unzip"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

std::optional<std::string> foreign_file_advice(std::string_view path) {
  const std::string name = lower(path.substr(path.rfind('/') + 1));
  const auto found = std::ranges::find_if(
      files, [&](const ForeignFile& file) { return name.ends_with(file.ending); });
  ForeignFile file{};
  if (found != files.end()) {
    file = *found;
  } else if (name.starts_with("poscar") || name.starts_with("contcar")) {
    file = {"", Kind::structure, "a structure of VASP"};
  } else {
    return std::nullopt;
  }
  constexpr std::string_view conversion =
      "extended XYZ (by ASE: pip install ase; ase convert FROM start.extxyz; in angstrom)";
  switch (file.kind) {
    case Kind::structure:
      return fmt::format(
          "is {}, which is no start file; sterna import makes an input and a start of it where it "
          "is of molecules; of particles without bonds make {}",
          file.what, conversion);
    case Kind::trajectory:
      return fmt::format("is {}, which is no start file; make {} of one of its frames", file.what,
                         conversion);
    case Kind::topology:
      return fmt::format(
          "is {}, which is no start file; sterna import makes an input of it and of its structure",
          file.what);
    case Kind::compressed:
      return fmt::format("is compressed; unpack it first: {} {}", file.what,
                         path.substr(path.rfind('/') + 1));
  }
  return std::nullopt;
}

}  // namespace sterna::md
