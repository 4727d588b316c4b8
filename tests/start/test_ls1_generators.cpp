// Generators of ls1-MarDyn's, against what its documentation and source say they make.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "md/start/foreign/ls1/config.hpp"
#include "md/start/readers/start_file_reader.hpp"

using namespace sterna::md;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "sterna-generators-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr double temperature = 0.9, mass = 2.0;

/// A config.xml of two components in this box, whose start this generator makes.
std::string config(const Vec3& box, const std::string& generator) {
  std::string components;
  for (const int id : {1, 2}) {
    components += fmt::format(
        "<moleculetype id=\"{0}\" name=\"C{0}\"><site type=\"LJ126\" id=\"1\">"
        "<coords><x>0</x><y>0</y><z>0</z></coords><mass>{1}</mass><sigma>1</sigma>"
        "<epsilon>1</epsilon><shifted>true</shifted></site></moleculetype>",
        id, mass);
  }
  return fmt::format(
      R"(<mardyn version="20100525"><simulation type="MD">
<integrator type="Leapfrog"><timestep>0.004</timestep></integrator>
<run><currenttime>0</currenttime><production><steps>20</steps></production></run>
<ensemble type="NVT"><temperature>{}</temperature>
<domain type="box"><lx>{}</lx><ly>{}</ly><lz>{}</lz></domain>
<components>{}</components><phasespacepoint>{}</phasespacepoint></ensemble>
<algorithm><cutoffs type="CenterOfMass"><radiusLJ>2.5</radiusLJ></cutoffs>
<electrostatic type="ReactionField"><epsilon>1e10</epsilon></electrostatic></algorithm>
</simulation></mardyn>)",
      temperature, box.x, box.y, box.z, components, generator);
}

struct Start {
  Box box;
  std::vector<ParticleRecord> molecules;
  std::vector<Diagnostic> warnings;
};

Start start_of(const Folder& folder, const Vec3& box, const std::string& generator) {
  const fs::path path = folder.path() / "config.xml";
  std::ofstream(path) << config(box, generator);
  const ReadResult result = ls1::read_config(path.string());
  CHECK(render(result.diagnostics) == "");
  REQUIRE(result.ok());
  const auto reader = StartFileReader::open(result.input);
  Start start{reader->header().box, {}, reader->header().warnings};
  for (auto records = reader->read_chunk(50); !records.empty(); records = reader->read_chunk(50)) {
    start.molecules.insert(start.molecules.end(), records.begin(), records.end());
  }
  for (const ParticleRecord& molecule : start.molecules) {
    for (int axis = 0; axis < 3; ++axis) {
      const double x = molecule.position.vector()[axis];
      CHECK((x >= 0.0 && x < start.box.length[axis]));
    }
  }
  return start;
}

struct Stored {
  std::uint32_t component;
  Vec3 position, velocity;
};

/// NAME.header.xml and NAME.dat in ls1's binary format ICRVQD: 116 bytes a molecule.
void write_phase_space(const Folder& folder, const std::string& name, const Vec3& box,
                       const std::vector<Stored>& molecules) {
  std::ofstream(folder.path() / (name + ".header.xml")) << fmt::format(
      "<mardyn version=\"20100525\"><headerinfo><time>0</time><length><x>{}</x><y>{}</y><z>{}</z>"
      "</length><number>{}</number><format type=\"ICRVQD\"/></headerinfo></mardyn>",
      box.x, box.y, box.z, molecules.size());
  std::ofstream data(folder.path() / (name + ".dat"), std::ios::binary);
  const auto put = [&data](const auto& value) {
    data.write(reinterpret_cast<const char*>(&value), sizeof value);
  };
  std::uint64_t id = 0;
  for (const Stored& molecule : molecules) {
    put(++id);
    put(molecule.component);
    for (const Vec3& vector : {molecule.position, molecule.velocity}) {
      for (int axis = 0; axis < 3; ++axis) put(vector[axis]);
    }
    for (const double value : {1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3}) put(value);
  }
}

std::string files_of(const std::string& name) {
  return fmt::format("<header>{0}.header.xml</header><data>{0}.dat</data>", name);
}

/// The molecules of a component at these places, in any order; each place once.
void check_places(const Start& start, std::int64_t component, const std::vector<Vec3>& expected) {
  std::size_t found = 0;
  for (const ParticleRecord& molecule : start.molecules) {
    if (molecule.position.type != component) continue;
    ++found;
    CHECK(std::ranges::count_if(expected, [&](const Vec3& place) {
            const Vec3 d = place - molecule.position.vector();
            return dot(d, d) < 1e-18;
          }) == 1);
  }
  CHECK(found == expected.size());
}

std::set<long> levels(const Start& start, int axis, double spacing) {
  std::set<long> levels;
  for (const ParticleRecord& molecule : start.molecules) {
    const double level = molecule.position.vector()[axis] / spacing;
    CHECK(std::fabs(level - std::round(level)) < 1e-9);
    levels.insert(std::lround(level));
  }
  return levels;
}

const std::vector<Stored> liquid{{1, {0.5, 0.5, 0.5}, {0.1, 0.2, 0.3}},
                                 {2, {2.5, 1.5, 3.0}, {-0.1, 0.0, 0.4}},
                                 {1, {3.5, 4.5, 5.5}, {0.0, 0.5, 0.0}}};
const Vec3 liquid_box{4.0, 5.0, 6.0};

}  // namespace

TEST_CASE("CubicGridGenerator: the body-centered grid nearest to the wanted number") {
  const Folder folder;
  const Vec3 box{10.0, 12.0, 14.0};
  // 250 cells; 6.3 an axis of the cube of this volume are 5.3, 6.4 and 7.4. Of the rounded numbers
  // and their neighbors 6 x 7 x 6 comes first among the nearest, with 504 molecules.
  for (const char* wanted : {"<numMolecules>500</numMolecules>", "<numMolecules>501</numMolecules>",
                             "<density>0.2977</density>"}) {
    CAPTURE(std::string(wanted));
    const Start start =
        start_of(folder, box,
                 std::string("<generator name=\"CubicGridGenerator\">") + wanted + "</generator>");
    CHECK(start.molecules.size() == 504);
    // Corners at a quarter of the cell, centers at three quarters.
    CHECK(levels(start, 0, box.x / 24).size() == 12);
    CHECK(levels(start, 1, box.y / 28).size() == 14);
    CHECK(levels(start, 2, box.z / 24).size() == 12);
    CHECK(*levels(start, 0, box.x / 24).begin() == 1);
    Vec3 momentum;
    double energy = 0.0;
    for (const ParticleRecord& molecule : start.molecules) {
      CHECK(molecule.position.type == 0);
      momentum += mass * molecule.velocity;
      energy += 0.5 * mass * dot(molecule.velocity, molecule.velocity);
    }
    CHECK(std::sqrt(dot(momentum, momentum)) < 1e-10);
    CHECK(energy == doctest::Approx(1.5 * 504 * temperature).epsilon(0.02));
  }
}

TEST_CASE("CubicGridGenerator: a binary mixture on the two grids") {
  const Folder folder;
  const Start start = start_of(folder, {8.0, 8.0, 8.0},
                               "<generator name=\"CubicGridGenerator\"><numMolecules>128"
                               "</numMolecules><binaryMixture>true</binaryMixture></generator>");
  REQUIRE(start.molecules.size() == 128);
  std::vector<Vec3> corners, centers;
  for (int k = 0; k < 64; ++k) {
    const Vec3 cell{2.0 * (k % 4), 2.0 * (k / 4 % 4), 2.0 * (k / 16)};
    corners.push_back(cell + Vec3{0.5, 0.5, 0.5});
    centers.push_back(cell + Vec3{1.5, 1.5, 1.5});
  }
  check_places(start, 0, corners);
  check_places(start, 1, centers);
}

TEST_CASE("ReplicaFiller: copies of a phase space inside an object") {
  const Folder folder;
  write_phase_space(folder, "box", liquid_box, liquid);
  const Vec3 box{9.0, 10.0, 13.0}, origin{1.0, -2.0, 0.5};
  const auto filled = [&](const std::string& object, const std::string& component) {
    return start_of(folder, box,
                    "<generator name=\"MultiObjectGenerator\"><objectgenerator>"
                    "<filler type=\"ReplicaFiller\"><input type=\"BinaryReader\">" +
                        files_of("box") + "</input><origin><x>1</x><y>-2</y><z>0.5</z></origin>" +
                        component + "</filler>" + object + "</objectgenerator></generator>");
  };
  // Everywhere that a copy has a molecule in the object, copies beside the origin too.
  const auto copies = [&](std::uint32_t component, const auto& contains) {
    std::vector<Vec3> expected;
    for (int k = -3; k <= 3; ++k) {
      for (int j = -3; j <= 3; ++j) {
        for (int i = -3; i <= 3; ++i) {
          for (const Stored& molecule : liquid) {
            const Vec3 r = molecule.position + origin +
                           Vec3{i * liquid_box.x, j * liquid_box.y, k * liquid_box.z};
            bool inside = component == 0 || molecule.component == component;
            for (int axis = 0; axis < 3; ++axis) {
              inside = inside && r[axis] >= 0.0 && r[axis] < box[axis];
            }
            if (inside && contains(r)) expected.push_back(r);
          }
        }
      }
    }
    return expected;
  };
  const auto everywhere = [](const Vec3&) { return true; };
  const std::string cuboid =
      "<object type=\"Cuboid\"><lower><x>0</x><y>0</y><z>0</z></lower>"
      "<upper><x>9</x><y>10</y><z>13</z></upper></object>";
  const Start all = filled(cuboid, "");
  CHECK(copies(1, everywhere).size() > 15);
  check_places(all, 0, copies(1, everywhere));
  check_places(all, 1, copies(2, everywhere));
  for (const ParticleRecord& molecule : all.molecules) {
    if (molecule.position.type == 1) CHECK(molecule.velocity == liquid[1].velocity);
    CHECK(molecule.angular_momentum == Vec3{0.1, 0.2, 0.3});
  }

  const auto in_sphere = [](const Vec3& r) {
    const Vec3 d = r - Vec3{4.0, 5.0, 6.0};
    return dot(d, d) <= 9.0;
  };
  const Start ball = filled(
      "<object type=\"Sphere\"><center><x>4</x><y>5</y><z>6</z></center><radius>3</radius>"
      "</object>",
      "<componentid>2</componentid>");
  CHECK(copies(0, in_sphere).size() > 2);
  check_places(ball, 0, {});
  check_places(ball, 1, copies(0, in_sphere));
}

TEST_CASE("ReplicaGenerator: blocks of one box") {
  const Folder folder;
  write_phase_space(folder, "box", liquid_box, liquid);
  // The box is that of the blocks, whatever <domain> says.
  const Start start = start_of(
      folder, {1.0, 1.0, 1.0},
      "<generator name=\"ReplicaGenerator\"><type>homogeneous</type><files><vapor>" +
          files_of("box") +
          "</vapor></files><numblocks><xz>2</xz><vapor>3</vapor></numblocks><componentIDs><vapor>"
          "<change><from>1</from><to>2</to></change><change><from>2</from><to>1</to></change>"
          "</vapor></componentIDs></generator>");
  CHECK(start.box.length == Vec3{8.0, 15.0, 12.0});
  CHECK(start.molecules.size() == 2 * 3 * 2 * 3);
  std::vector<Vec3> expected[2];
  for (int k = 0; k < 12; ++k) {
    for (const Stored& molecule : liquid) {
      // The two components have changed places.
      expected[2 - molecule.component].push_back(
          molecule.position + Vec3{4.0 * (k % 2), 5.0 * (k / 4), 6.0 * (k / 2 % 2)});
    }
  }
  check_places(start, 0, expected[0]);
  check_places(start, 1, expected[1]);
}

TEST_CASE("ReplicaGenerator: vapor keeps a diameter's distance from the liquid") {
  const Folder folder;
  write_phase_space(folder, "liquid", liquid_box, liquid);
  const Vec3 vapor_box{4.0, 7.0, 6.0};
  std::vector<Stored> vapor;
  for (int k = 0; k < 14; ++k) vapor.push_back({2, {1.0, 0.25 + 0.5 * k, 3.0}, {0.0, 0.0, 0.0}});
  write_phase_space(folder, "vapor", vapor_box, vapor);
  for (const bool both_sides : {true, false}) {
    CAPTURE(both_sides);
    const Start start = start_of(
        folder, {1.0, 1.0, 1.0},
        fmt::format("<generator name=\"ReplicaGenerator\"><type>heterogeneous_{}</type><files>"
                    "<vapor>{}</vapor><liquid>{}</liquid></files><numblocks><xz>1</xz>"
                    "<vapor>2</vapor><liquid>3</liquid></numblocks><diameter>1</diameter>"
                    "</generator>",
                    both_sides ? "VLV" : "LV", files_of("vapor"), files_of("liquid")));
    const double begin = both_sides ? 14.0 : 0.0, end = begin + 15.0;
    CHECK(start.box.length == Vec3{4.0, end + 14.0, 6.0});
    std::vector<Vec3> expected[2];
    for (int block = 0; block < 3; ++block) {
      for (const Stored& molecule : liquid) {
        expected[molecule.component - 1].push_back(molecule.position +
                                                   Vec3{0.0, begin + 5.0 * block, 0.0});
      }
    }
    const auto add_vapor = [&](double from) {
      for (int k = 0; k < 28; ++k) {
        const double y = from + 0.25 + 0.5 * k;
        // ls1 also leaves a gap at the upper end of the box.
        const bool fits =
            (y > begin - 1.0 && y < begin) || (y > end && y < end + 1.0) || y > end + 13.0;
        if (!fits) expected[1].push_back({1.0, y, 3.0});
      }
    };
    if (both_sides) add_vapor(0.0);
    add_vapor(end);
    check_places(start, 0, expected[0]);
    check_places(start, 1, expected[1]);
  }
}

TEST_CASE("mkesfera: a droplet of its density in vapor of its density") {
  const Folder folder;
  const double edge = 24.0, radius = 7.0, inner = 0.7, outer = 0.05;
  const Start start = start_of(
      folder, {edge, edge, edge},
      fmt::format("<generator name=\"mkesfera\"><droplet><radius>{}</radius><density>{}</density>"
                  "<center><x>9</x><y>12</y><z>13</z></center></droplet>"
                  "<outer-density>{}</outer-density></generator>",
                  radius, inner, outer));
  double inside = 0.0;
  for (const ParticleRecord& molecule : start.molecules) {
    const Vec3 d = molecule.position.vector() - Vec3{9.0, 12.0, 13.0};
    if (dot(d, d) < radius * radius) inside += 1.0;
    CHECK(mass * dot(molecule.velocity, molecule.velocity) ==
          doctest::Approx(3.0 * temperature).epsilon(1e-12));
  }
  const double volume = 4.0 / 3.0 * 3.14159265358979 * radius * radius * radius;
  const double outside = static_cast<double>(start.molecules.size()) - inside;
  // Each site is taken or not: no more than the square root of the number, five times.
  CHECK(std::fabs(inside - inner * volume) < 5.0 * std::sqrt(inner * volume));
  const double expected = outer * (edge * edge * edge - volume);
  CHECK(std::fabs(outside - expected) < 5.0 * std::sqrt(expected));
}

TEST_CASE("GridFiller: centerings, density and occupancy") {
  const Folder folder;
  const Vec3 box{12.0, 12.0, 12.0};
  const auto grid = [&](const std::string& centering, const std::string& more) {
    return start_of(
        folder, box,
        fmt::format(
            "<generator name=\"MultiObjectGenerator\"><objectgenerator><filler "
            "type=\"GridFiller\"><lattice system=\"orthorombic\" centering=\"{}\">"
            "<vec id=\"a\"><x>2</x><y>0</y><z>0</z></vec><vec id=\"b\"><x>0</x><y>3</y><z>0</z>"
            "</vec><vec id=\"c\"><x>0</x><y>0</y><z>4</z></vec></lattice><basis><site>"
            "<componentid>0</componentid><coordinate><x>0.1</x><y>0.1</y><z>0.1</z></coordinate>"
            "</site></basis>{}</filler><object type=\"Cuboid\"><lower><x>0</x><y>0</y><z>0</z>"
            "</lower><upper><x>12</x><y>12</y><z>12</z></upper></object></objectgenerator>"
            "</generator>",
            centering, more));
  };
  const std::pair<const char*, std::vector<Vec3>> centerings[] = {
      {"primitive", {}},
      {"body", {{1.0, 1.5, 2.0}}},
      {"face", {{1.0, 1.5, 0.0}, {1.0, 0.0, 2.0}, {0.0, 1.5, 2.0}}},
      {"base A", {{0.0, 1.5, 2.0}}},
      {"base B", {{1.0, 0.0, 2.0}}},
      {"base C", {{1.0, 1.5, 0.0}}}};
  for (const auto& [name, centers] : centerings) {
    CAPTURE(std::string(name));
    std::vector<Vec3> expected;
    for (int k = 0; k < 6 * 4 * 3; ++k) {
      const Vec3 corner{2.0 * (k % 6) + 0.1, 3.0 * (k / 6 % 4) + 0.1, 4.0 * (k / 24) + 0.1};
      expected.push_back(corner);
      for (const Vec3& center : centers) expected.push_back(corner + center);
    }
    check_places(grid(name, ""), 0, expected);
  }
  // A cubic cell of that density takes the place of the given one: 12^3 / 27 cells, 2 in each.
  const Start dense = grid("body", fmt::format("<density>{}</density>", 2.0 / 27.0));
  CHECK(dense.molecules.size() == 2 * 4 * 4 * 4);
  const Start half = grid("face", "<latticeOccupancy>0.5</latticeOccupancy>");
  const double sites = 4.0 * 72.0;
  CHECK(std::fabs(static_cast<double>(half.molecules.size()) - 0.5 * sites) <
        5.0 * std::sqrt(0.25 * sites));
}

namespace {

/// A primitive cubic grid of edge 1 in this object.
std::string grid_in(const std::string& object) {
  return fmt::format(
      "<generator name=\"MultiObjectGenerator\"><objectgenerator><filler type=\"GridFiller\">"
      "<lattice system=\"cubic\" centering=\"primitive\"><vec id=\"a\"><x>1</x></vec>"
      "<vec id=\"b\"><y>1</y></vec><vec id=\"c\"><z>1</z></vec></lattice><basis><site>"
      "<componentid>0</componentid><coordinate><x>0.5</x><y>0.5</y><z>0.5</z></coordinate></site>"
      "</basis></filler>{}</objectgenerator></generator>",
      object);
}

std::string cylinder(const std::string& more) {
  return fmt::format(
      "<object type=\"Cylinder\"><centerBase><x>4</x><y>4</y><z>4</z></centerBase>"
      "<radius>3</radius><height>5</height>{}</object>",
      more);
}

}  // namespace

TEST_CASE("Cylinder: along z, or where <direction> points to") {
  const Folder folder;
  const Vec3 box{10.0, 10.0, 10.0};
  const std::pair<const char*, int> directions[] = {{"", 2},
                                                    {"<direction>0</direction>", 0},
                                                    {"<direction>1</direction>", 1},
                                                    {"<direction>2</direction>", 2}};
  for (const auto& [direction, axis] : directions) {
    CAPTURE(std::string(direction));
    std::vector<Vec3> expected;
    for (int n = 0; n < 1000; ++n) {
      const Vec3 place{n % 10 + 0.5, n / 10 % 10 + 0.5, n / 100 + 0.5};
      const Vec3 d = place - Vec3{4.0, 4.0, 4.0};
      const double across = dot(d, d) - d[axis] * d[axis];
      if (across <= 9.0 && d[axis] >= 0.0 && d[axis] <= 5.0) expected.push_back(place);
    }
    CHECK(expected.size() > 100);
    const Start start = start_of(folder, box, grid_in(cylinder(direction)));
    CHECK(start.warnings.empty());
    check_places(start, 0, expected);
  }
  CHECK_THROWS_WITH_AS(start_of(folder, box, grid_in(cylinder("<direction>3</direction>"))),
                       doctest::Contains("<direction> is \"3\"; expected a whole number from 0"),
                       StartFileError);
}

TEST_CASE("what nobody reads in a generator is told") {
  const Folder folder;
  const Vec3 box{10.0, 10.0, 10.0};
  const std::string object = cylinder("<dirction>1</dirction>");
  const std::string shifted = fmt::format(
      "<object type=\"ObjectShifter\">{}<shift><x>1</x><t>2</t></shift></object>"
      "<velocityAssigner type=\"MaxwellVelocityDistribution\" sead=\"2\"/>",
      object);
  const Start start = start_of(folder, box, grid_in(shifted));
  std::string told;
  for (const Diagnostic& warning : start.warnings) told += warning.message + "\n";
  CHECK(told ==
        "<dirction> means nothing in <object> and is ignored; did you mean <direction>?\n"
        "<t> means nothing in <shift> and is ignored\n"
        "the attribute \"sead\" of <velocityAssigner> means nothing and is ignored\n");
}

TEST_CASE("GridFiller counts components from 0, unless an id shows that it cannot be so") {
  const Folder folder;
  const auto grid = [&](int first, int second) {
    const auto site = [](int id, const char* x) {
      return fmt::format(
          "<site><componentid>{}</componentid><coordinate><x>{}</x><y>0.1</y><z>0.1</z>"
          "</coordinate></site>",
          id, x);
    };
    return fmt::format(
        "<generator name=\"MultiObjectGenerator\"><objectgenerator><filler type=\"GridFiller\">"
        "<lattice system=\"cubic\" centering=\"primitive\"><vec id=\"a\"><x>3</x></vec>"
        "<vec id=\"b\"><y>3</y></vec><vec id=\"c\"><z>3</z></vec></lattice><basis>{}{}</basis>"
        "</filler><object type=\"Cuboid\"><lower><x>0</x><y>0</y><z>0</z></lower><upper><x>6</x>"
        "<y>6</y><z>6</z></upper></object></objectgenerator></generator>",
        site(first, "0.1"), site(second, "1.6"));
  };
  const auto places = [](double x) {
    std::vector<Vec3> found;
    for (int k = 0; k < 8; ++k) {
      found.push_back({x + 3.0 * (k % 2), 0.1 + 3.0 * (k / 2 % 2), 0.1 + 3.0 * (k / 4)});
    }
    return found;
  };
  const Vec3 box{6.0, 6.0, 6.0};
  const Start from_zero = start_of(folder, box, grid(0, 1));
  CHECK(from_zero.warnings.empty());
  check_places(from_zero, 0, places(0.1));
  check_places(from_zero, 1, places(1.6));
  const Start only_one = start_of(folder, box, grid(1, 1));
  CHECK(only_one.warnings.empty());
  check_places(only_one, 0, {});
  // There is no component 2 where they count from 0.
  const Start from_one = start_of(folder, box, grid(1, 2));
  REQUIRE(from_one.warnings.size() == 1);
  CHECK(from_one.warnings[0].message.find("taken to count from 1") != std::string::npos);
  check_places(from_one, 0, places(0.1));
  check_places(from_one, 1, places(1.6));
  CHECK_THROWS_AS(start_of(folder, box, grid(0, 2)), StartFileError);
  CHECK_THROWS_AS(start_of(folder, box, grid(1, 3)), StartFileError);
}

TEST_CASE("mkTcTS: a layer of each component, with its density") {
  const Folder folder;
  const Vec3 box{12.0, 40.0, 10.0};
  const auto layers = [&](const std::string& more) {
    return start_of(folder, box,
                    fmt::format("<generator name=\"mkTcTS\"><layer1><density>0.1</density>{}"
                                "</layer1><layer2><density>0.6</density></layer2></generator>",
                                more));
  };
  const Start halves = layers("");
  // The first layer begins at 0.3 of the box and fills half of it.
  const std::int64_t expected[2] = {240, 1440};
  std::int64_t count[2] = {};
  Vec3 mean{};
  double squared = 0.0;
  for (const ParticleRecord& molecule : halves.molecules) {
    ++count[molecule.position.type];
    const double y = molecule.position.y / box.y;
    // Displacements may lead out of the layer by a sixteenth of a cell.
    const bool in_first = y > 0.29 && y < 0.81;
    const bool in_second = y < 0.31 || y > 0.79;
    CHECK((molecule.position.type == 0 ? in_first : in_second));
    mean += molecule.velocity;
    squared += dot(molecule.velocity, molecule.velocity);
  }
  CHECK(count[0] == expected[0]);
  CHECK(count[1] == expected[1]);
  const auto total = static_cast<double>(halves.molecules.size());
  CHECK(mass * squared / total == doctest::Approx(3.0 * temperature));
  CHECK(std::sqrt(dot(mean, mean)) / total < 0.1);
  const Start thin = layers("<l1_ratio>0.25</l1_ratio><l1_offset>0</l1_offset>");
  count[0] = count[1] = 0;
  for (const ParticleRecord& molecule : thin.molecules) {
    ++count[molecule.position.type];
    if (molecule.position.type == 0) {
      CHECK((molecule.position.y < 10.5 || molecule.position.y > 39.5));
    }
  }
  CHECK(count[0] == 120);
  CHECK(count[1] == 2160);
  CHECK_THROWS_WITH_AS(layers("<l1_ratio>1.5</l1_ratio>"), doctest::Contains("from 0 to 1"),
                       StartFileError);
}

TEST_CASE("PerCellGenerator: so many molecules in each linked cell") {
  const Folder folder;
  // Of a cutoff of 2.5, cells are 2.75, 2.6 and 3.5 wide.
  const Vec3 box{5.5, 13.0, 7.0};
  const auto cells = [&](int count, const std::string& more) {
    return start_of(folder, box,
                    fmt::format("<generator name=\"PerCellGenerator\"><numMoleculesPerCell>{}"
                                "</numMoleculesPerCell><initTemperature>0.3</initTemperature>{}"
                                "</generator>",
                                count, more));
  };
  const Start start = cells(7, "");
  CHECK(start.molecules.size() == 7 * 2 * 5 * 2);
  std::map<std::array<int, 3>, int> found;
  Vec3 mean{};
  double squared = 0.0;
  for (const ParticleRecord& molecule : start.molecules) {
    ++found[{static_cast<int>(molecule.position.x / 2.75),
             static_cast<int>(molecule.position.y / 2.6),
             static_cast<int>(molecule.position.z / 3.5)}];
    mean += molecule.velocity;
    squared += dot(molecule.velocity, molecule.velocity);
  }
  CHECK(found.size() == 20);
  for (const auto& [cell, count] : found) CHECK(count == 7);
  CHECK(std::sqrt(dot(mean, mean)) < 1e-10);
  CHECK(mass * squared / 140.0 == doctest::Approx(0.9).epsilon(0.1));
  CHECK(cells(0, "").molecules.size() == 2);
  CHECK_THROWS_WITH_AS(cells(0, "<generateAtLeastTwoParticles>false</generateAtLeastTwoParticles>"),
                       doctest::Contains("makes no molecule"), StartFileError);
}
