#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "md/input/line_reader.hpp"
#include "md/start/readers/id_set.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "start/particles_of_pieces.hpp"

using namespace sterna::md;

namespace {

/// A file that lives as long as the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& name = "start") {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("sterna_readers_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    path_ = (folder_ / name).string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

StartFileOptions two_types() {
  StartFileOptions options;
  options.type_names = {"Ar", "Kr"};
  return options;
}

struct Contents {
  StartFileHeader header;
  std::vector<ParticleRecord> particles;
};

Contents contents_of(const std::string& path, const StartFileOptions& options,
                     std::size_t chunk = 1000) {
  Contents contents;
  const auto reader = StartFileReader::open(path, options);
  contents.header = reader->header();
  for (auto records = reader->read_chunk(chunk); !records.empty();
       records = reader->read_chunk(chunk)) {
    CHECK(records.size() <= chunk);
    contents.particles.insert(contents.particles.end(), records.begin(), records.end());
  }
  CHECK(static_cast<std::int64_t>(contents.particles.size()) == contents.header.particle_count);
  CHECK(reader->read_chunk(chunk).empty());
  test::check_pieces(path, options, contents.particles);
  return contents;
}

Contents read(const std::string& content, const StartFileOptions& options = two_types(),
              std::size_t chunk = 1000) {
  const TemporaryFile file(content);
  return contents_of(file.path(), options, chunk);
}

std::string message_of(const std::string& path, const StartFileOptions& options) {
  try {
    contents_of(path, options);
  } catch (const StartFileError& error) {
    return error.diagnostic().message;
  }
  return "no error";
}

void check_position(const ParticleRecord& p, double x, double y, double z) {
  CHECK(p.position.x == doctest::Approx(x).epsilon(1e-14));
  CHECK(p.position.y == doctest::Approx(y).epsilon(1e-14));
  CHECK(p.position.z == doctest::Approx(z).epsilon(1e-14));
}

void check_image(const ParticleRecord& p, int x, int y, int z) {
  CHECK(p.image.x == x);
  CHECK(p.image.y == y);
  CHECK(p.image.z == z);
}

const std::filesystem::path nist =
    std::filesystem::path(STERNA_SOURCE_DIR) / ".." / "shared" / "data" / "nist" / "lj";

/// Truncated Lennard-Jones energy of a few particles, each pair once, minimum image.
double energy_of(const Contents& contents, double cutoff) {
  double energy = 0.0;
  const auto& particles = contents.particles;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double square = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double length = contents.header.box.length[axis];
        double d = particles[i].position.vector()[axis] - particles[j].position.vector()[axis];
        d -= length * std::nearbyint(d / length);
        square += d * d;
      }
      if (square > cutoff * cutoff) continue;
      const double s6 = 1.0 / (square * square * square);
      energy += 4.0 * (s6 * s6 - s6);
    }
  }
  return energy;
}

}  // namespace

TEST_CASE("plain XYZ") {
  StartFileOptions options = two_types();
  options.box = Vec3{10.0, 20.0, 30.0};
  const auto contents =
      read("3\nany comment at all\nKr 1.5 2.5 3.5\n\tAr\t-1 +21 1e1  \nAr 35 -0.5 30\n", options);
  CHECK(contents.header.format == "xyz");
  CHECK(contents.header.box.length == Vec3{10.0, 20.0, 30.0});
  CHECK_FALSE(contents.header.has_velocities);
  const auto& p = contents.particles;
  CHECK(p[0].position.type == 1);
  CHECK(p[1].position.type == 0);
  CHECK(p[2].id == 3);
  check_position(p[0], 1.5, 2.5, 3.5);
  check_position(p[1], 9.0, 1.0, 10.0);
  check_image(p[1], -1, 1, 0);
  check_position(p[2], 5.0, 19.5, 0.0);
  check_image(p[2], 3, -1, 1);
  CHECK(p[0].velocity == Vec3{});
}

TEST_CASE("plain XYZ with velocities, line ends of another system, numbers for names") {
  StartFileOptions options = two_types();
  options.box = Vec3{10.0, 10.0, 10.0};
  const auto contents =
      read("\xef\xbb\xbf 2 \r\n\r\n1 1 1 1 0.1 0.2 0.3\r\n2 2 2 2 -1 -2 -3", options, 1);
  CHECK(contents.header.has_velocities);
  CHECK(contents.particles[0].velocity == Vec3{0.1, 0.2, 0.3});
  CHECK(contents.particles[1].velocity == Vec3{-1.0, -2.0, -3.0});
  CHECK(contents.particles[1].position.type == 1);
}

TEST_CASE("numbers of XYZ are in the input's units") {
  StartFileOptions options = two_types();
  options.units = *UnitSystem::by_name("metal");
  options.box = Vec3{1.0, 1.0, 1.0};
  const auto contents = read("1\n\nAr 1 2 12 10 20 30\n", options);
  check_position(contents.particles[0], 0.1, 0.2, 0.2);
  check_image(contents.particles[0], 0, 0, 1);
  CHECK(contents.particles[0].velocity.z == doctest::Approx(3.0));
}

TEST_CASE("extended XYZ") {
  const auto contents = read(
      "2\n"
      "Lattice=\"10.0 0.0 0.0 0.0 20 1e-15 0 0 3e1\" Origin=\"-5 -10 -15\" energy = -3.5 "
      "Properties=id:I:1:species:S:1:charge:R:1:pos:R:3:force:R:3:velo:R:3 "
      "stress=[[1, 0], [0, 1]] name='a b' {old style}=3 pbc=\"T T T\" converged\n"
      "17 Kr 0.5 0 0 0 9 9 9 0.1 0.2 0.3\n"
      "4 Ar -0.5 -6 10 1 9 9 9 1 2 3\n\n \n");
  CHECK(contents.header.format == "extxyz");
  CHECK(contents.header.box.length == Vec3{10.0, 20.0, 30.0});
  CHECK(contents.header.has_velocities);
  REQUIRE(contents.header.warnings.size() == 1);
  CHECK(contents.header.warnings[0].message == "charge is not read; what the input says holds");
  const auto& p = contents.particles;
  CHECK(p[0].id == 17);
  CHECK(p[0].position.type == 1);
  check_position(p[0], 5.0, 10.0, 15.0);
  CHECK(p[0].velocity == Vec3{0.1, 0.2, 0.3});
  CHECK(p[1].id == 4);
  check_position(p[1], 9.0, 0.0, 16.0);
  check_image(p[1], -1, 1, 0);
}

namespace {

void check_vector(const Vec3& v, const Vec3& expected) {
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(v[axis] == doctest::Approx(expected[axis]).scale(1.0).epsilon(1e-13));
  }
}

}  // namespace

TEST_CASE("triclinic cells: as they stand where a lies along x and b in the plane of x and y") {
  const auto contents = read(
      "2\n"
      "Lattice=\"10 0 0 2 8 0 -3 1.5 6\" Origin=\"1 2 3\" Properties=species:S:1:pos:R:3:velo:R:3\n"
      "Ar 2 3 4 0.1 0.2 0.3\n"
      "Kr 0.5 3.5 9.5 1 2 3\n",
      two_types());
  CHECK(contents.header.box == Box{{10.0, 8.0, 6.0}, {2.0, -3.0, 1.5}});
  check_position(contents.particles[0], 1.0, 1.0, 1.0);
  CHECK(contents.particles[0].velocity == Vec3{0.1, 0.2, 0.3});
  // One c taken off (-0.5, 1.5, 6.5) leaves it at (2.5, 0, 0.5), below b's share of 0.125.
  check_position(contents.particles[1], 4.5, 8.0, 0.5);
  check_image(contents.particles[1], 0, -1, 1);
}

TEST_CASE("triclinic cells in any orientation are turned, and what has directions with them") {
  // The cell of the case before, turned by 120 degrees about (1, 1, 1).
  const auto turned = [](const Vec3& v) { return Vec3{v.z, v.x, v.y}; };
  const Vec3 a = turned({10, 0, 0}), b = turned({2, 8, 0}), c = turned({-3, 1.5, 6});
  const Vec3 p = turned({1, 1, 1.5}), v = turned({0.1, 0.2, 0.3}), l = turned({-1, 2, 5});
  // The body's axes x, y, z along those of the laboratory before the turn: the turn itself.
  const Quaternion q{0.5, 0.5, 0.5, 0.5};
  StartFileOptions options;
  options.type_names = {"water"};
  const auto text = [](const Vec3& w) { return fmt::format("{} {} {}", w.x, w.y, w.z); };
  check_vector(q.to_lab({1, 2, 3}), turned({1, 2, 3}));
  const auto contents =
      read(fmt::format("1\nLattice=\"{} {} {}\" "
                       "Properties=species:S:1:pos:R:3:velo:R:3:orient:R:4:angmom:R:3\n"
                       "water {} {} {} {} {} {} {}\n",
                       text(a), text(b), text(c), text(p), text(v), q.w, q.x, q.y, q.z, text(l)),
           options);
  const Box& box = contents.header.box;
  check_vector(box.length, {10.0, 8.0, 6.0});
  check_vector({box.tilt.xy, box.tilt.xz, box.tilt.yz}, {2.0, -3.0, 1.5});
  check_position(contents.particles[0], 1.0, 1.0, 1.5);
  check_vector(contents.particles[0].velocity, {0.1, 0.2, 0.3});
  check_vector(contents.particles[0].angular_momentum, {-1, 2, 5});
  check_vector(contents.particles[0].orientation.to_lab({1, 2, 3}), {1, 2, 3});
}

TEST_CASE("triclinic boxes of LAMMPS, by tilts and by vectors") {
  const auto text = [](const std::string& box) {
    return "title\n\n1 atoms\n1 atom types\n" + box +
           "\nAtoms # atomic\n\n1 1 11.5 2 3 1 0 -1\n\nVelocities\n\n1 1 2 3\n";
  };
  StartFileOptions options;
  options.type_names = {"Ar"};
  const auto tilts =
      read(text("1 11 xlo xhi\n0 8 ylo yhi\n0 6 zlo zhi\n2 -3 1.5 xy xz yz\n"), options);
  CHECK(tilts.header.box == Box{{10.0, 8.0, 6.0}, {2.0, -3.0, 1.5}});
  // (10.5, 2, 3) has the unsheared x 10.5 - 2 * 1.25 / 8 + 3 / 2, more than 10.
  check_position(tilts.particles[0], 0.5, 2.0, 3.0);
  check_image(tilts.particles[0], 2, 0, -1);
  const auto vectors =
      read(text("10 0 0 avec\n2 8 0 bvec\n-3 1.5 6 cvec\n1 0 0 abc origin\n"), options);
  CHECK(vectors.header.box == tilts.header.box);
  check_position(vectors.particles[0], 0.5, 2.0, 3.0);
  const auto other = read(text("0 10 0 avec\n0 2 8 bvec\n6 -3 1.5 cvec\n"), options);
  check_vector(other.header.box.length, {10.0, 8.0, 6.0});
  check_vector(other.particles[0].velocity, {2.0, 3.0, 1.0});
}

TEST_CASE("a triclinic box that the input gives") {
  StartFileOptions options = two_types();
  options.box = Vec3{10.0, 8.0, 6.0};
  options.tilt = {2.0, -3.0, 1.5};
  const auto contents = read("1\n\nAr 1 1 7.5\n", options);
  CHECK(contents.header.box == Box{{10.0, 8.0, 6.0}, {2.0, -3.0, 1.5}});
  check_position(contents.particles[0], 6.0, 7.5, 1.5);
  check_image(contents.particles[0], 0, -1, 1);
  // One that the file has must be the same.
  const std::string file = "1\nLattice=\"10 0 0 2.5 8 0 -3 1.5 6\"\nAr 1 1 1\n";
  CHECK_THROWS_WITH_AS(read(file, options), doctest::Contains("with tilt [2, -3, 1.5]"),
                       StartFileError);
}

TEST_CASE("compressed files and other formats are read as a stream") {
  const TemporaryFile data(
      "LAMMPS\n\n1 atoms\n2 atom types\n0 10 xlo xhi\n0 10 ylo yhi\n0 10 zlo zhi\n\n"
      "Atoms # atomic\n\n1 1 1 2 3\n");
  StartFileOptions options = two_types();
  options.format = "lammps";
  CHECK(StartFileReader::open(data.path(), options)->piece_count() == 0);
}

TEST_CASE("pieces of a long file, with and without ids") {
  for (const bool has_ids : {false, true}) {
    std::string text =
        fmt::format("3000\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties={}species:S:1:pos:R:3\n",
                    has_ids ? "id:I:1:" : "");
    for (int n = 0; n < 3000; ++n) {
      if (has_ids) text += fmt::format("{} ", 7 * n % 3000 + 5);
      text += fmt::format("{} {} {} {:.{}f}\n", n % 3 == 0 ? "Ar" : "Kr", 0.001 * n, n, 0.7 * n,
                          n % 17);
    }
    const auto contents = read(text);
    CHECK(contents.header.has_ids == has_ids);
    const TemporaryFile file(text);
    CHECK(StartFileReader::open(file.path(), two_types())->piece_count() > 4);
    StartFileOptions options = two_types();
    options.renumber = true;
    CHECK(contents_of(file.path(), options).particles.back().id == 3000);
  }
}

TEST_CASE("extended XYZ without what has a default, and with what deserves a warning") {
  StartFileOptions options = two_types();
  options.type_names = {"Ar"};
  options.box = Vec3{10.0, 10.0, 10.0};
  // No Lattice: the input's box; no species: the only type.
  const auto contents =
      read("1\nProperties=pos:R:3:momenta:R:3 pbc=\"T F T\"\n1 2 3 0 0 0\n", options);
  CHECK(contents.header.format == "extxyz");
  check_position(contents.particles[0], 1.0, 2.0, 3.0);
  REQUIRE(contents.header.warnings.size() == 2);
  CHECK(contents.header.warnings[0].severity == Severity::warning);
  CHECK(contents.header.warnings[0].message.find("not periodic") != std::string::npos);
  CHECK(contents.header.warnings[1].message.find("momenta") != std::string::npos);
  // No Properties: name x y z.
  const auto other = read("1\nlattice='10 0 0 0 10 0 0 0 10'\nAr 1 2 3\n", options);
  CHECK(other.header.format == "extxyz");
}

TEST_CASE("extended XYZ of molecules: orientations and angular momenta") {
  StartFileOptions options;
  options.type_names = {"water"};
  options.type_section = "[[component]]";
  options.units = *UnitSystem::by_name("metal");  // angstrom, angstrom/ps
  const Contents contents = read(
      "2\nLattice=\"10 0 0 0 10 0 0 0 10\" "
      "Properties=species:S:1:pos:R:3:orient:R:4:angmom:R:3:id:I:1\n"
      "water 1 2 3 0.6 0 0 -0.8 1 -2 50 7\n"
      "water 4 5 6 1.001 0 0 0 0 0 0 8\n",
      options);
  CHECK(contents.header.has_orientations);
  CHECK(contents.header.has_angular_momenta);
  CHECK_FALSE(contents.header.has_velocities);
  CHECK(contents.header.warnings.empty());
  CHECK(contents.particles[0].orientation == Quaternion{0.6, 0.0, 0.0, -0.8});
  CHECK(contents.particles[0].angular_momentum.x == doctest::Approx(0.01));
  CHECK(contents.particles[0].angular_momentum.z == doctest::Approx(0.5));
  CHECK(contents.particles[0].id == 7);
  CHECK(contents.particles[1].orientation == Quaternion{});  // made a unit one

  const Contents without = read(
      "1\nLattice=\"10 0 0 0 10 0 0 0 10\" Properties=species:S:1:pos:R:3:orientation:R:4\n"
      "water 1 2 3 0 0 0 1\n",
      options);
  CHECK_FALSE(without.header.has_orientations);
  CHECK(without.particles[0].orientation == Quaternion{});
  REQUIRE(without.header.warnings.size() == 1);
  CHECK(without.header.warnings[0].message.find("orient:R:4 is (w, x, y, z)") != std::string::npos);
}

TEST_CASE("LAMMPS data files of styles with molecules and charges") {
  const std::string head =
      "title\n\n2 atoms\n2 atom types\n1 bonds\n1 bond types\n0 10 xlo xhi\n0 10 ylo yhi\n"
      "0 10 zlo zhi\n\nBond Coeffs # harmonic\n\n1 300 1\n\n";
  const std::string tail = "\nBonds\n\n1 1 1 2\n\nVelocities\n\n2 0 0 1\n1 0 0 2\n";
  const std::pair<std::string, std::string> styles[] = {
      {"full", "2 7 1 -0.5"}, {"molecular", "2 7 1"}, {"bond", "2 7 1"},
      {"angle", "2 0 1"},     {"charge", "2 1 0.25"}, {"atomic", "2 1"}};
  for (const auto& [style, columns] : styles) {
    CAPTURE(style);
    const std::string other = "1" + columns.substr(1);
    const auto contents = read(
        head + "Atoms # " + style + "\n\n" + columns + " 1 2 3 0 1 0\n" + other + " 4 5 6\n" + tail,
        two_types(), 2);
    CHECK(contents.particles.size() == 2);
    CHECK(contents.particles[0].id == 2);
    CHECK(contents.particles[0].position.type == 0);
    CHECK(contents.particles[0].position.vector() == Vec3{1.0, 2.0, 3.0});
    CHECK(contents.particles[0].image.y == 1);
    CHECK(contents.particles[1].position.vector() == Vec3{4.0, 5.0, 6.0});
    CHECK(contents.particles[1].velocity == Vec3{0.0, 0.0, 2.0});
    // The bonds, their coefficients, and charges where there are some.
    const bool charged = style == "full" || style == "charge";
    REQUIRE(contents.header.warnings.size() == (charged ? 3 : 2));
    CHECK(contents.header.warnings[0].message.find("\"Bond Coeffs\" is not read") !=
          std::string::npos);
  }
}

TEST_CASE("what a start file says in contradiction to the input is told") {
  const std::string lammps =
      "title\n\n1 atoms\n3 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nAtoms\n\n1 1 1 2 "
      "3\n";
  const auto more = read(lammps, two_types()).header.warnings;
  REQUIRE(more.size() == 1);
  CHECK(more[0].message ==
        "the file has 3 atom types, but the input has 2 [[type]] sections: the first 2 of both are "
        "taken for the same");
  CHECK(more[0].line == 4);
  const auto columns =
      read(
          "1\nLattice=\"9 0 0 0 9 0 0 0 9\" "
          "Properties=species:S:1:pos:R:3:masses:R:1:initial_charges:R:1\nAr 1 2 3 40 0.5\n",
          two_types())
          .header.warnings;
  REQUIRE(columns.size() == 2);
  CHECK(columns[0].message == "masses is not read; what the input says holds");
  CHECK(columns[1].message == "initial_charges is not read; what the input says holds");
}

TEST_CASE("a LAMMPS data file as write_data writes it") {
  const std::string file =
      "LAMMPS data file via write_data, version 2 Aug 2023, timestep = 100, units = lj\n"
      "\n"
      "3 atoms\n2 atom types\n0 bonds # none\n\n"
      "-5 5 xlo xhi\n0 20.0 ylo yhi\n1 31 zlo zhi\n0 0 0 xy xz yz\n"
      "\nMasses\n\n1 1.5\n2 3 # krypton\n"
      "\nPair Coeffs # lj/cut\n\n1 1 1\n2 1 1\n"
      "\nAtoms # atomic\n\n"
      "3 2 -4.5 1 2 0 0 0\n"
      "1 1 4.5 19.5 31 1 -1 2 # a comment\n"
      "\n"
      "2 1 5 0 1 0 0 0\n"
      "\nVelocities\n\n";
  StartFileOptions options = two_types();
  options.type_masses = {1.5, 4.0};
  for (const bool shuffled : {false, true}) {
    CAPTURE(shuffled);
    const std::string velocities =
        shuffled ? "1 0.1 0.2 0.3\n2 0 0 -1\n3 1 2 3\n" : "3 1 2 3\n1 0.1 0.2 0.3\n2 0 0 -1\n";
    const auto contents = read(file + velocities, options, 2);
    CHECK(contents.header.format == "lammps");
    CHECK(contents.header.box.length == Vec3{10.0, 20.0, 30.0});
    CHECK(contents.header.has_velocities);
    const auto& p = contents.particles;
    CHECK(p[0].id == 3);
    CHECK(p[0].position.type == 1);
    check_position(p[0], 0.5, 1.0, 1.0);
    CHECK(p[0].velocity == Vec3{1.0, 2.0, 3.0});
    check_position(p[1], 9.5, 19.5, 0.0);
    check_image(p[1], 1, -1, 3);
    CHECK(p[1].velocity == Vec3{0.1, 0.2, 0.3});
    check_position(p[2], 0.0, 0.0, 0.0);
    check_image(p[2], 1, 0, 0);
    CHECK(p[2].velocity == Vec3{0.0, 0.0, -1.0});
    REQUIRE(contents.header.warnings.size() == 2);
    CHECK(contents.header.warnings[0].message ==
          "the section \"Pair Coeffs\" is not read; [[type]] and [[pair]] of the input hold");
    CHECK(contents.header.warnings[1].message ==
          "the file has a mass of 3 here, but the input's type \"Kr\" has 4, which holds");
    CHECK(contents.header.warnings[1].line == 15);
    CHECK(contents.header.warnings[1].column == 3);
  }
}

TEST_CASE("LAMMPS data with velocities before atoms, ids with gaps, other units") {
  StartFileOptions options = two_types();
  options.units = *UnitSystem::by_name("real");
  const auto contents = read(
      "\n2 atoms\n2 atom types\n0 10 xlo xhi\n0 10 ylo yhi\n0 10 zlo zhi\n"
      "Velocities\n\n100 0 0 0.01\n7 0 0 0.02\n\nAtoms\n\n7 1 1 2 3\n100 2 4 5 6",
      options);
  CHECK(contents.header.box.length.x == doctest::Approx(1.0));
  const auto& p = contents.particles;
  CHECK(p[0].id == 7);
  check_position(p[0], 0.1, 0.2, 0.3);
  CHECK(p[0].velocity.z == doctest::Approx(2.0));  // 0.02 angstrom/fs in nm/ps
  CHECK(p[1].velocity.z == doctest::Approx(1.0));
}

TEST_CASE("LAMMPS data with type labels") {
  const auto contents = read(
      "title\n3 atoms\n2 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n"
      "Atom Type Labels\n\n1 Kr\n2 Ar\n\nMasses\n\nKr 1\nAr 1\n\n"
      "Atoms # atomic\n\n1 Kr 1 1 1\n2 2 2 2 2\n3 1 3 3 3\n");
  CHECK(contents.particles[0].position.type == 1);
  CHECK(contents.particles[1].position.type == 0);
  CHECK(contents.particles[2].position.type == 1);
}

TEST_CASE("a long LAMMPS file in any order of ids, through every chunk") {
  const int count = 60000;  // several buffers long
  std::vector<int> ids(count);
  for (int i = 0; i < count; ++i) ids[i] = 1 + static_cast<int>((7919LL * i + 13) % count);
  std::string file =
      "title\n\n60000 atoms\n1 atom types\n0 100 xlo xhi\n0 100 ylo yhi\n"
      "0 100 zlo zhi\n\nAtoms # atomic\n\n";
  for (const int id : ids) {
    file += std::to_string(id) + " 1 " + std::to_string(id * 1e-3) + " 2.25 3.125 0 0 0\n";
  }
  file += "\nVelocities\n\n";
  for (int id = count; id >= 1; --id)
    file += std::to_string(id) + " " + std::to_string(id) + " 0 0\n";
  const auto contents = read(file, two_types(), 777);
  bool sound = true;
  for (int i = 0; i < count; ++i) {
    const auto& p = contents.particles[i];
    sound = sound && p.id == ids[i] && p.velocity.x == ids[i] &&
            std::abs(p.position.x - ids[i] * 1e-3) < 1e-6;
  }
  CHECK(sound);
}

TEST_CASE("NIST's Lennard-Jones configurations have the published energies") {
  if (!std::filesystem::exists(nist)) {
    MESSAGE("skipped: ../shared/data/nist/lj is not there");
    return;
  }
  StartFileOptions options;
  options.type_names = {"LJ"};
  const auto small = contents_of((nist / "lj_sample_config_periodic4.txt").string(), options, 7);
  CHECK(small.header.format == "nist");
  CHECK(small.header.box.length == Vec3{8.0, 8.0, 8.0});
  REQUIRE(small.particles.size() == 30);
  CHECK(small.particles[0].position.x == doctest::Approx(5.077169909511).epsilon(1e-13));
  CHECK(energy_of(small, 3.0) == doctest::Approx(-1.6790e1).epsilon(5e-5));
  CHECK(energy_of(small, 4.0) == doctest::Approx(-1.7060e1).epsilon(5e-5));
  const auto large = contents_of((nist / "lj_sample_config_periodic1.txt").string(), options);
  CHECK(energy_of(large, 3.0) == doctest::Approx(-4.3515e3).epsilon(2e-5));
  CHECK(energy_of(large, 4.0) == doctest::Approx(-4.4675e3).epsilon(2e-5));
  bool wrapped = true;
  for (const auto& p : large.particles) {
    for (int axis = 0; axis < 3; ++axis) {
      wrapped = wrapped && p.position.vector()[axis] >= 0.0 && p.position.vector()[axis] < 10.0;
    }
    wrapped = wrapped && p.image.x == 0 && p.image.y == 0 && p.image.z == 0;
  }
  CHECK(wrapped);
}

TEST_CASE("the box of the input and that of the file must be the same") {
  const TemporaryFile file("1\nLattice=\"10 0 0 0 10 0 0 0 10\"\nAr 1 2 3\n");
  StartFileOptions options = two_types();
  options.box = Vec3{10.0, 10.0, 10.0};
  CHECK(contents_of(file.path(), options).particles.size() == 1);
  options.box = Vec3{10.0, 10.0, 11.0};
  CHECK(message_of(file.path(), options).starts_with("the input's box is 10 x 10 x 11, but that"));
  options.box_place = Diagnostic{Severity::error, "in.toml", 7, 1, 3, "", "box = [10, 10, 11]"};
  try {
    StartFileReader::open(file.path(), options);
    FAIL("no error");
  } catch (const StartFileError& error) {
    CHECK(error.diagnostic().file == "in.toml");
    CHECK(error.diagnostic().line == 7);
  }
}

TEST_CASE("files that cannot be read") {
  const TemporaryFile file("1\n\nAr 1 2 3\n", "argon.xyz");
  const StartFileOptions options = two_types();
  CHECK(message_of((file.folder() / "argn.xyz").string(), options) ==
        "there is no such file; did you mean \"argon.xyz\"?");
  CHECK(message_of((file.folder() / "quite_another").string(), options) == "there is no such file");
  CHECK(message_of(file.folder().string(), options) == "is a folder");
  CHECK(message_of("/dev/null", options) == "is not a regular file");
  StartFileOptions wrong = options;
  wrong.format = "extxyzz";
  CHECK(message_of(file.path(), wrong) == "unknown format \"extxyzz\"; did you mean \"extxyz\"?");
}

TEST_CASE("a start file that the input names") {
  const TemporaryFile file("1\nLattice=\"10 0 0 0 10 0 0 0 10\"\nKr 1 2 3\n", "start.xyz");
  Input input;
  input.path = (file.folder() / "run.toml").string();
  input.start.kind = StartKind::file;
  input.start.file = "start.xyz";
  input.types = {{"Ar"}, {"Kr"}};
  const auto reader = StartFileReader::open(input);
  CHECK(reader->read_chunk(10)[0].position.type == 1);
  input.start.file = "strat.xyz";
  input.places["start.file"] = {3, 1, 4, "file = \"strat.xyz\""};
  try {
    StartFileReader::open(input);
    FAIL("no error");
  } catch (const StartFileError& error) {
    CHECK(error.diagnostic().file == input.path);
    CHECK(error.diagnostic().line == 3);
    CHECK(error.diagnostic().message.ends_with("no such file; did you mean \"start.xyz\"?"));
  }
}

TEST_CASE("lines as long as a buffer, and longer") {
  StartFileOptions options = two_types();
  options.box = Vec3{10.0, 10.0, 10.0};
  const std::string blanks(LineReader::longest_line - 20, ' ');
  const auto contents = read("2\n" + blanks + "\nAr 1 1" + blanks + "1\nKr 2 2 2\n", options);
  CHECK(contents.particles[0].position.z == 1.0);
  CHECK(contents.particles[1].position.type == 1);
  // Of a long line the diagnostic keeps what is around the mistake.
  const TemporaryFile wrong("1\ncomment\nAr 1 1" + blanks + "one\n");
  try {
    contents_of(wrong.path(), options);
    FAIL("no error");
  } catch (const StartFileError& error) {
    CHECK(error.diagnostic().source_line.size() < 2100);
    CHECK(error.diagnostic().column == static_cast<int>(blanks.size()) + 7);
    CHECK(render(error.diagnostic()).find("one\n") != std::string::npos);
  }
  const TemporaryFile file("1\ncomment\nAr 1 1" + blanks + "                    1\n");
  CHECK(message_of(file.path(), options) == "this line is longer than 1048576 characters");
}

TEST_CASE("lines and marks") {
  const TemporaryFile file("one\n\ntwo\r\nthree\xc3\xa4 four");
  LineReader reader(std::make_shared<const FileHandle>(file.path(), nullptr));
  std::vector<std::string> lines;
  LineReader::Mark second{};
  while (reader.next()) {
    if (reader.number() == 2) second = reader.mark();
    lines.emplace_back(reader.line());
  }
  CHECK(lines == std::vector<std::string>{"one", "", "two", "three\xc3\xa4 four"});
  CHECK(reader.number() == 5);
  reader.go_to(second);
  CHECK(reader.next());
  CHECK(reader.number() == 2);
  reader.next();
  CHECK(reader.line() == "two");
  reader.next();
  // Columns count characters, not bytes.
  CHECK(reader.diagnostic(reader.line().substr(8), "").column == 8);
}

TEST_CASE("a set of ids finds what comes twice, dense or sparse, in any order") {
  IdSet ids;
  const std::int64_t count = 200000;
  bool sound = true;
  // 1 ... N from both ends, and far ids between them.
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t id = i % 2 == 0 ? 1 + i / 2 : count - i / 2;
    sound = sound && ids.insert(id);
    if (i % 1000 == 0) sound = sound && ids.insert((std::int64_t{1} << 47) - i);
  }
  for (std::int64_t id = 1; id <= count; ++id) sound = sound && !ids.insert(id);
  CHECK(sound);
  CHECK_FALSE(ids.insert((std::int64_t{1} << 47) - 1000));
  CHECK(ids.insert(count + 1));
}
