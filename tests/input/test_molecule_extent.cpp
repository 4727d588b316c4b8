// How far atoms of a molecule that know each other can be apart, and whether that is certain.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "md/input/diagnostics.hpp"
#include "md/input/read_input.hpp"
#include "md/input/topology_from_input.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

/// A file that inputs can name as their start, which nobody reads here.
class StartFile {
 public:
  StartFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sterna-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(path()) << "0\n";
  }
  ~StartFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return folder_ + "/chain.xyz"; }

 private:
  std::string folder_;
};

/// A chain of six atoms, with bonds of 1.5 along it.
Input chain(const std::string& more) {
  const StartFile start;
  const std::string text =
      "[run]\nsteps = 1\ntimestep = 0.001\n[start]\nkind = \"file\"\nfile = \"" + start.path() +
      "\"\nbox = [20, 20, 20]\n[[type]]\nname = \"A\"\nmass = 1\n[interaction]\ncutoff = 2.5\n"
      "[[molecule]]\nname = \"chain\"\ncount = 36\natom = [{type = \"A\"}, {type = \"A\"}, "
      "{type = \"A\"}, {type = \"A\"}, {type = \"A\"}, {type = \"A\"}]\n"
      "[[molecule.bond]]\npotential = \"harmonic\"\nstiffness = 100\nr0 = 1.5\n"
      "atoms = [[1, 2], [2, 3], [3, 4], [4, 5], [5, 6]]\n" +
      more;
  const ReadResult result = read_input_text(text, "chain.toml");
  if (!result.ok()) throw std::runtime_error(render(result.diagnostics));
  return result.input;
}

std::string exclusion(const std::string& atoms) {
  return "[[molecule.exclusion]]\natoms = [" + atoms + "]\n";
}

}  // namespace

TEST_CASE("terms that follow the bonds reach as far as these, and a tenth more") {
  const std::string angles =
      "[[molecule.angle]]\npotential = \"harmonic\"\nbending_stiffness = 5\ntheta0 = 120\n"
      "atoms = [[1, 2, 3], [2, 3, 4]]\n";
  const std::string torsions =
      "[[molecule.torsion]]\npotential = \"opls\"\nv1 = 1\nv2 = 0\nv3 = 0\nv4 = 0\n"
      "atoms = [[1, 2, 3, 4]]\n";
  CHECK(molecule_extent(chain(angles)) >= 1.1 * 2 * 1.5 - 1e-12);
  CHECK(molecule_extent(chain(angles + torsions)) == doctest::Approx(1.1 * 3 * 1.5));
  CHECK(molecule_extent_is_certain(chain(angles + torsions)));
  CHECK(molecule_extent_is_certain(chain(torsions + exclusion("[1, 4], [6, 3]"))));
}

TEST_CASE("what is farther apart than the bonds of a term is not certain to be near") {
  const std::string torsions =
      "[[molecule.torsion]]\npotential = \"opls\"\nv1 = 1\nv2 = 0\nv3 = 0\nv4 = 0\n";
  CHECK_FALSE(molecule_extent_is_certain(chain(exclusion("[1, 5]"))));
  CHECK_FALSE(molecule_extent_is_certain(
      chain(torsions + "atoms = [[1, 2, 3, 4]]\n" + exclusion("[2, 3], [6, 2]"))));
  CHECK_FALSE(molecule_extent_is_certain(chain(torsions + "atoms = [[1, 2, 5, 6]]\n")));
  // Constraints join atoms as bonds do.
  CHECK(molecule_extent_is_certain(chain(torsions + "atoms = [[1, 2, 5, 6]]\n" +
                                         "[[molecule.constraint]]\natoms = [[2, 5]]\n"
                                         "distance = 1.4\n")));
}
