#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "md/forces/external/input/wall_section.hpp"
#include "md/input/input_text.hpp"
#include "md/input/read_input.hpp"
#include "md/integrate/alignment_section.hpp"
#include "md/integrate/drift_control_section.hpp"
#include "md/integrate/limit_section.hpp"
#include "md/integrate/thermostats/velocity_scaling.hpp"
#include "md/observe/dielectric.hpp"
#include "md/observe/orientation_order.hpp"
#include "md/observe/pressure_tensor.hpp"
#include "md/observe/profile.hpp"
#include "md/observe/radial_distribution.hpp"
#include "md/start/foreign/ls1/config.hpp"
#include "md/start/foreign/ls1/start_file.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "support/archive.hpp"

using namespace sterna::md;
namespace fs = std::filesystem;

namespace {

const fs::path examples = fs::path(STERNA_SOURCE_DIR) / "tests" / "data" / "ls1";
/// Inputs of ls1-MarDyn with known results, beside the repository where they are there.
const fs::path shared = fs::path(STERNA_SOURCE_DIR).parent_path() / "shared" / "data" / "ls1";

/// Inputs each of which has something wrong, or that is only told of.
const sterna::test::Archive& broken() {
  static const sterna::test::Archive archive("broken_ls1.txt");
  return archive;
}

Input read_valid(const fs::path& path) {
  const ReadResult result = ls1::read_config(path.string());
  CHECK(render(result.diagnostics) == "");
  REQUIRE(result.ok());
  return result.input;
}

/// The input whose only findings are warnings that the force of a wall ends at the box's face.
Input read_valid_but_for_walls(const fs::path& path) {
  const ReadResult result = ls1::read_config(path.string());
  for (const Diagnostic& diagnostic : result.diagnostics) {
    CAPTURE(render(diagnostic));
    CHECK(diagnostic.severity == Severity::warning);
    CHECK(diagnostic.message.find("beyond the face of the box") != std::string::npos);
  }
  REQUIRE(result.ok());
  return result.input;
}

struct Start {
  Box box;
  std::vector<ParticleRecord> particles;
  std::vector<Diagnostic> warnings;
};

Start start_of(const Input& input) {
  const auto reader = StartFileReader::open(input);
  Start start{reader->header().box, {}, reader->header().warnings};
  for (auto records = reader->read_chunk(3); !records.empty(); records = reader->read_chunk(3)) {
    start.particles.insert(start.particles.end(), records.begin(), records.end());
  }
  CHECK(static_cast<std::int64_t>(start.particles.size()) == reader->header().particle_count);
  return start;
}

const ParticleRecord& particle(const Start& start, std::int64_t id) {
  const auto found = std::ranges::find(start.particles, id, &ParticleRecord::id);
  REQUIRE(found != start.particles.end());
  return *found;
}

/// The input that its own text makes.
Input through_text(const Input& input) {
  const ReadResult result = read_input_text(input_text(input), input.path, false);
  CHECK(render(result.diagnostics) == "");
  REQUIRE(result.ok());
  return result.input;
}

}  // namespace

TEST_CASE("an ASCII start with ls1's defaults") {
  const Input input = read_valid(examples / "ascii.xml");
  CHECK(input.units.is_reduced());
  CHECK(input.run.name == "ascii");
  CHECK(input.run.steps == 20);
  CHECK(input.run.timestep == 0.004);
  REQUIRE(input.types.size() == 1);
  CHECK(input.types[0].name == "Kr");
  CHECK(input.types[0].mass == 2.0);
  CHECK(input.types[0].sigma == 1.05);
  CHECK(input.types[0].epsilon == 1.3);
  CHECK(input.interaction.cutoff == 3.0);
  CHECK(input.interaction.truncation == Truncation::truncated);
  CHECK(input.interaction.tail_correction == TailCorrection::homogeneous);
  REQUIRE(input.thermostats.size() == 1);
  CHECK(input.thermostats[0].kind == "velocity_scaling");
  CHECK(input.thermostats[0].options<VelocityScalingOptions>().exponent == 0.4);
  CHECK(input.thermostats[0].temperature == 0.9);
  CHECK(input.output.thermo_interval == 5);
  CHECK(input.output.checkpoint_interval == 0);
  CHECK(input.start.format == "ls1");

  const Start start = start_of(input);
  CHECK(start.warnings.empty());
  CHECK(start.box.length == Vec3{10.0, 11.0, 12.5});
  CHECK(start.particles.size() == 4);
  // Ids are those of the file.
  const ParticleRecord& first = particle(start, 7);
  CHECK(first.position.vector() == Vec3{1.0, 2.0, 3.0});
  CHECK(first.velocity == Vec3{0.1, -0.2, 0.3});
  // One molecule lies outside the box.
  const ParticleRecord& wrapped = particle(start, 0);
  CHECK(wrapped.position.vector() == Vec3{9.5, 0.25, 12.0});
  CHECK(wrapped.image.x == -1);
  CHECK(wrapped.image.y == 1);
}

TEST_CASE("a binary start is the same as its ASCII twin") {
  const Input input = read_valid(examples / "binary.xml");
  CHECK(input.thermostats.empty());
  CHECK(input.interaction.tail_correction == TailCorrection::none);
  const Start start = start_of(input);
  const Start ascii = start_of(read_valid(examples / "ascii.xml"));
  CHECK(start.box.length == ascii.box.length);
  REQUIRE(start.particles.size() == ascii.particles.size());
  for (std::size_t i = 0; i < start.particles.size(); ++i) {
    CHECK(start.particles[i].id == ascii.particles[i].id);
    CHECK(start.particles[i].position.vector() == ascii.particles[i].position.vector());
    CHECK(start.particles[i].velocity == ascii.particles[i].velocity);
    CHECK(start.particles[i].image.y == ascii.particles[i].image.y);
    CHECK(start.particles[i].orientation == ascii.particles[i].orientation);
  }
}

TEST_CASE("ids of 64 bits, which ls1 gives to replicas, are numbered anew and told") {
  const fs::path folder = fs::temp_directory_path() / ("sterna-ids-" + std::to_string(getpid()));
  fs::copy(examples, folder, fs::copy_options::recursive);
  {
    std::fstream data(folder / "atoms.dat", std::ios::binary | std::ios::in | std::ios::out);
    data.seekp(7);
    data.put('\xc0');
  }
  const Start start = start_of(read_valid(folder / "binary.xml"));
  REQUIRE(start.warnings.size() == 1);
  CHECK(start.warnings[0].message.find("numbered from 1") != std::string::npos);
  for (std::size_t i = 0; i < start.particles.size(); ++i) {
    CHECK(start.particles[i].id == static_cast<std::int64_t>(i) + 1);
  }
  fs::remove_all(folder);
}

TEST_CASE("ls1's planar correction has its layers across y") {
  const Input input = read_valid(examples / "planar.xml");
  CHECK(input.interaction.tail_correction == TailCorrection::planar);
  CHECK(input.interaction.tail_normal == Axis::y);
  CHECK(input.interaction.tail_slabs == 240);
  const Input again = through_text(input);
  CHECK(again.interaction.tail_normal == Axis::y);
  CHECK(again.interaction.tail_slabs == 240);
}

TEST_CASE("ls1's thermostats of components and regions") {
  const Input input = read_valid(examples / "thermostats.xml");
  REQUIRE(input.thermostats.size() == 2);
  const auto& left = input.thermostats[0];
  CHECK(left.component == "Xe");
  CHECK(*left.lower == Vec3{0.0, 0.0, 0.0});
  CHECK(*left.upper == Vec3{10.0, 4.5, 12.5});
  CHECK(left.temperature == 0.8);
  const auto& scaling = left.options<VelocityScalingOptions>();
  CHECK(scaling.exponent == 0.3);
  CHECK(scaling.scaling == VelocityScaling::Rule::linearized);
  CHECK(scaling.slabs == 3);
  CHECK(scaling.directions == std::vector{Axis::x, Axis::z});
  CHECK(left.start_step == 2);
  CHECK(scaling.interval == 5);
  // ls1 stops before the step that it names.
  CHECK(left.stop_step == 11);

  const auto& right = input.thermostats[1];
  CHECK(right.component == "Xe");
  CHECK(right.lower->y == 4.5);
  CHECK(right.options<VelocityScalingOptions>().slabs == 1);
  const Input again = through_text(input);
  REQUIRE(again.thermostats.size() == 2);
  CHECK(again.thermostats[0].options<VelocityScalingOptions>().directions == scaling.directions);
  CHECK(*again.thermostats[1].upper == *right.upper);
  CHECK(input_text(again) == input_text(input));
}

TEST_CASE("ls1's plugins that change a run") {
  const Input input = read_valid(examples / "plugins.xml");
  REQUIRE(input.thermostats.size() == 1);
  CHECK(input.thermostats[0].kind == "andersen");
  CHECK(input.thermostats[0].component == "Xe");
  // ls1's molecules collide with probability nu dt in every fourth step.
  CHECK(input.thermostats[0].time_constant == 80.0);
  CHECK(input.thermostats[0].upper->y == 4.5);

  REQUIRE(input.tables<LimitSection>().size() == 2);
  const auto& of_first = input.tables<LimitSection>()[0];
  CHECK(of_first.component == "Kr");
  CHECK(of_first.force == 500.0);
  CHECK(of_first.velocity == 10.0);
  CHECK_FALSE(of_first.overlaps_only);
  CHECK(of_first.start_step == 5);
  CHECK(of_first.stop_step == 1000);
  CHECK(of_first.interval == 2);
  CHECK_FALSE(of_first.lower.has_value());
  CHECK(of_first.upper->y == 4.0);
  CHECK(of_first.upper->x > 10.0);
  const auto& of_second = input.tables<LimitSection>()[1];
  CHECK(of_second.overlaps_only);
  CHECK(of_second.force == 700.0);
  CHECK_FALSE(of_second.torque.has_value());  // atoms do not turn

  REQUIRE(input.tables<DriftControlSection>().size() == 2);
  const auto& drift = input.tables<DriftControlSection>()[0];
  CHECK(drift.component == "Xe");
  CHECK(drift.velocity == Vec3{0.1, 0.0, -0.2});
  CHECK(drift.slabs == 3);
  CHECK(drift.lower->y == 2.0);
  CHECK(drift.upper->y == 10.0);
  CHECK(drift.interval == 20);
  CHECK(drift.sample_interval == 5);
  CHECK(drift.start_step == 3);
  CHECK(drift.stop_step == 90);
  // Component 0 of ls1 is all molecules together.
  CHECK(input.tables<DriftControlSection>()[1].component.empty());
  CHECK(input.tables<DriftControlSection>()[1].stop_step == 0);
  CHECK_FALSE(input.tables<DriftControlSection>()[1].lower.has_value());
  CHECK_FALSE(input.tables<DriftControlSection>()[1].upper.has_value());

  CHECK(input.section<AlignmentSection>().interval == 10);
  CHECK(input.section<AlignmentSection>().part == 0.5);
  CHECK(input.section<AlignmentSection>().axes == std::vector{Axis::x, Axis::z});

  REQUIRE(input.tables<WallSection>().size() == 5);
  const auto& layers = input.tables<WallSection>()[0];
  CHECK(layers.potential == WallSection::Potential::lj_10_4_3);
  CHECK(layers.component == "Kr");
  CHECK(layers.axis == Axis::y);
  CHECK(layers.side == WallSection::Side::both);
  CHECK(layers.position == 4.75);
  CHECK(layers.cutoff == 2.5);
  CHECK(layers.sigma == doctest::Approx(1.025));
  // ls1's factor 2 pi rho epsilon sigma^2 delta, with epsilon = xi sqrt(100 * 1.3).
  CHECK(layers.epsilon == doctest::Approx(1.07 * 0.2 * std::sqrt(130.0) * 1.025 * 1.025 * 0.775));
  const auto& above = input.tables<WallSection>()[1];
  CHECK(above.potential == WallSection::Potential::lj_9_3);
  CHECK(above.side == WallSection::Side::above);
  CHECK(above.position == 6.5);
  CHECK(above.sigma == doctest::Approx(0.9 * 1.025));
  CHECK(above.epsilon == doctest::Approx(2.0 / 3.0 * 3.14159265358979 * 1.07 * std::sqrt(130.0) *
                                         std::pow(0.9 * 1.025, 3)));
  CHECK(input.tables<WallSection>()[2].side == WallSection::Side::below);
  CHECK(input.tables<WallSection>()[2].position == 3.5);
  const auto& spring = input.tables<WallSection>()[3];
  CHECK(spring.potential == WallSection::Potential::harmonic);
  CHECK(spring.side == WallSection::Side::below);
  CHECK(spring.position == 9.0);
  CHECK(spring.stiffness == 20.0);
  CHECK(spring.component.empty());
  const auto& mirror = input.tables<WallSection>()[4];
  CHECK(mirror.potential == WallSection::Potential::reflecting);
  CHECK(mirror.side == WallSection::Side::above);
  CHECK(mirror.position == 1.5);
  CHECK(mirror.component == "Xe");

  const Input again = through_text(input);
  CHECK(input_text(again) == input_text(input));
  CHECK(again.tables<WallSection>().size() == 5);
  CHECK(again.tables<LimitSection>()[0].upper == of_first.upper);
}

TEST_CASE("ls1's walls outside of the box that reach into it are kept") {
  const Input input = read_valid_but_for_walls(examples / "walls_reach_in.xml");
  REQUIRE(input.tables<WallSection>().size() == 3);
  CHECK(input.tables<WallSection>()[0].position == -0.5);
  CHECK(input.tables<WallSection>()[0].side == WallSection::Side::both);
  // The upper surface of a wall of finite width; its lower one has no molecules within the cutoff.
  CHECK(input.tables<WallSection>()[1].position == -1.0);
  CHECK(input.tables<WallSection>()[1].side == WallSection::Side::above);
  CHECK(input.tables<WallSection>()[2].position == 12.0);
  const Input again = through_text(input);
  CHECK(again.tables<WallSection>()[0].position == -0.5);
}

TEST_CASE("ls1's thermostat of a component") {
  const ReadResult result =
      ls1::read_config((broken().folder() / "thermostat_of_one_component.xml").string());
  REQUIRE(result.ok());
  REQUIRE(result.input.thermostats.size() == 1);
  const auto& of_component = result.input.thermostats[0];
  CHECK(of_component.kind == "velocity_scaling");
  CHECK(of_component.component == "Xe");
  CHECK(of_component.temperature == 1.1);
  CHECK(of_component.options<VelocityScalingOptions>().exponent == 0.4);
  CHECK(of_component.options<VelocityScalingOptions>().scaling == VelocityScaling::Rule::power);
  CHECK_FALSE(of_component.lower.has_value());
}

TEST_CASE("beside a TemperatureControl ls1's VelocityScaling does not act") {
  const ReadResult result =
      ls1::read_config((broken().folder() / "thermostats_mixed.xml").string());
  REQUIRE(result.ok());
  REQUIRE(result.input.thermostats.size() == 1);
  CHECK(result.input.thermostats[0].upper.has_value());
}

TEST_CASE("ls1's measurements become observers that wait as long") {
  const ReadResult result = ls1::read_config((broken().folder() / "measurements.xml").string());
  REQUIRE(result.ok());
  const Input& input = result.input;
  CHECK(input.section<RdfOptions>().interval == 2);
  CHECK(input.section<RdfOptions>().maximum == doctest::Approx(2.0));
  CHECK(input.section<PressureTensorOptions>().interval == 10);
  CHECK(input.section<PressureTensorOptions>().normal() == Axis::y);
  CHECK(input.section<OrientationOrderOptions>().interval == 3);
  CHECK(input.section<OrientationOrderOptions>().axis == Axis::z);
  CHECK(input.section<DielectricOptions>().interval == 4);
  // The RDF waits for the equilibration of 7 steps, the others for 9.
  CHECK(input.output.equilibration == 9);
}

TEST_CASE("without <equilibration> ls1's radial distribution begins after step 20000") {
  const ReadResult result =
      ls1::read_config((broken().folder() / "measurements_of_atoms.xml").string());
  REQUIRE(result.ok());
  CHECK(result.input.output.equilibration == 20000);
  CHECK(result.input.section<ProfileOptions>().interval == 5);
  CHECK(result.input.section<DielectricOptions>().interval == 0);
}

TEST_CASE("a grid with a hole") {
  const Input input = read_valid(examples / "grid.xml");
  const Start start = start_of(input);
  // 5 x 5 x 5 face-centered cells; the sites inside the sphere (on its border they stay) are out.
  std::size_t inside = 0;
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      for (int k = 0; k < 10; ++k) {
        if ((i + j + k) % 2 != 0) continue;
        const double x = 0.5 + i - 5.0, y = 0.5 + j - 5.0, z = 0.5 + 1.25 * k - 5.0;
        if (x * x + y * y + z * z < 2.5 * 2.5) ++inside;
      }
    }
  }
  CHECK(inside > 10);
  CHECK(start.particles.size() == 500 - inside);
  for (const ParticleRecord& record : start.particles) {
    const Vec3 d = record.position.vector() - Vec3{5.0, 5.0, 5.0};
    CHECK(dot(d, d) >= 2.5 * 2.5);
    // Equal speeds: m v^2 = 3 T.
    CHECK(2.0 * dot(record.velocity, record.velocity) == doctest::Approx(2.7));
  }
}

TEST_CASE("the text of an input is the same input") {
  for (const char* name : {"ascii.xml", "binary.xml", "grid.xml"}) {
    CAPTURE(name);
    const Input input = read_valid(examples / name);
    const Input again = through_text(input);
    CHECK(input_text(again) == input_text(input));
    CHECK(again.run.timestep == input.run.timestep);
    CHECK(again.types[0].sigma == input.types[0].sigma);
    CHECK(again.start.box == input.start.box);
    CHECK(again.thermostats.size() == input.thermostats.size());
    CHECK(again.section<Ls1StartOptions>().header == input.section<Ls1StartOptions>().header);
  }
}

TEST_CASE("every broken file has its exact message") {
  // After a deliberate change of a message run this with STERNA_UPDATE_EXPECTED=1, and read the
  // diff.
  const bool update = std::getenv("STERNA_UPDATE_EXPECTED") != nullptr;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(broken().folder())) {
    if (entry.path().extension() == ".xml" || entry.path().extension() == ".inp") {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  CHECK(paths.size() >= 30);
  for (const fs::path& path : paths) {
    CAPTURE(path.filename().string());
    std::vector<Diagnostic> diagnostics;
    if (path.extension() == ".xml") {
      const ReadResult result = ls1::read_config(path.string());
      diagnostics = result.diagnostics;
      if (result.ok()) {
        try {
          start_of(result.input);
        } catch (const StartFileError& error) {
          diagnostics.push_back(error.diagnostic());
        }
      }
    } else {
      StartFileOptions options;
      options.format = "ls1";
      options.type_names = {"A"};
      try {
        const auto reader = StartFileReader::open(path.string(), options);
        diagnostics = reader->header().warnings;
        while (!reader->read_chunk(2).empty()) {
        }
      } catch (const StartFileError& error) {
        diagnostics.push_back(error.diagnostic());
      }
    }
    const std::string folder = path.parent_path().string() + "/";
    for (Diagnostic& diagnostic : diagnostics) {
      for (std::string* text : {&diagnostic.file, &diagnostic.message}) {
        for (auto at = text->find(folder); at != std::string::npos; at = text->find(folder)) {
          text->erase(at, folder.size());
        }
      }
    }
    const std::string found = render(diagnostics);
    const std::string expected = path.string() + ".expected";
    if (update) std::ofstream(expected, std::ios::binary) << found;
    CHECK(found == sterna::test::Archive::content(expected));
    CHECK_FALSE(found.empty());
  }
  if (update) broken().update();
}

TEST_CASE("ls1's own inputs are read") {
  if (!fs::exists(shared)) {
    MESSAGE("skipped: " << shared.string() << " is not there");
    return;
  }
  std::size_t configs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(shared)) {
    const std::string name = entry.path().filename().string();
    // Those that ls1 ships are the matter of tests/python/test_ls1_examples.py.
    const bool is_example = *fs::relative(entry.path(), shared).begin() == "examples";
    if (is_example || entry.path().extension() != ".xml" || name == "components.xml" ||
        name.ends_with(".comp.xml")) {
      continue;
    }
    CAPTURE(entry.path().string());
    const ReadResult result = ls1::read_config(entry.path().string());
    // The pairs' moments of inertia are not those of their masses, of which there is a warning.
    const bool is_pair = entry.path().parent_path().filename() == "pairs";
    if (!is_pair) CHECK(render(result.diagnostics) == "");
    REQUIRE(result.ok());
    ++configs;
    CHECK(start_of(result.input).warnings.empty());
  }
  CHECK(configs >= 9);
}

TEST_CASE("molecules of ls1's examples") {
  if (!fs::exists(shared)) {
    MESSAGE("skipped: " << shared.string() << " is not there");
    return;
  }
  const Input co2 = read_valid(shared / "co2" / "nve.xml");
  REQUIRE(co2.components.size() == 1);
  CHECK(co2.components[0].sites.size() == 6);
  CHECK(*co2.components[0].inertia == Vec3{0.189250772, 0.189250772, 0.0});
  CHECK(co2.interaction.cutoff == 33.0702);
  CHECK(co2.interaction.molecular_cutoff == MolecularCutoff::center_of_mass);
  CHECK(co2.interaction.electrostatics == CutoffElectrostatics::reaction_field);
  CHECK(co2.interaction.tail_correction == TailCorrection::homogeneous);
  const Start start = start_of(co2);
  CHECK(start.particles.size() == 2048);
  CHECK(particle(start, 2047).orientation.w == doctest::Approx(-0.53913075746));
  for (const ParticleRecord& record : start.particles) {
    CHECK(record.orientation.norm_squared() == doctest::Approx(1.0).epsilon(1e-14));
  }

  const Input eox = read_valid(shared / "eox" / "nve_eq.xml");
  CHECK(eox.components[0].sites[3].kind == SiteKind::dipole);
  CHECK(eox.components[0].sites[3].moment == 0.967443691);
  CHECK(start_of(eox).particles.size() == 2048);

  const ReadResult pair = ls1::read_config((shared / "pairs" / "c_d.xml").string());
  REQUIRE(pair.ok());
  CHECK(pair.input.components.size() == 2);
  CHECK(pair.input.interaction.shift_unlike_components);
  CHECK(pair.input.interaction.tail_correction == TailCorrection::none);
  const Input again = through_text(pair.input);
  CHECK(again.components[1].sites[1].position == Vec3{0.1, 0.2, 0.3});
  CHECK(again.components[1].sites[1].moment == 0.7);
  // Against the charge of the other component ls1's dipole points the other way.
  CHECK(again.components[1].sites[1].axis == Vec3{0.0, 0.0, -1.0});
  CHECK(render(pair.diagnostics).find("are turned around here") != std::string::npos);
  CHECK(input_text(again) == input_text(pair.input));
}

TEST_CASE("argon of ls1's examples") {
  if (!fs::exists(shared)) {
    MESSAGE("skipped: " << shared.string() << " is not there");
    return;
  }
  const Input input = read_valid(shared / "argon" / "nve.xml");
  CHECK(input.run.name == "nve");
  CHECK(input.thermostats.empty());
  const Start start = start_of(input);
  CHECK(start.particles.size() == 2048);
  CHECK(start.box.length == Vec3{108.43455, 108.43455, 108.43455});
  const ParticleRecord& last = particle(start, 2047);
  CHECK(last.position.x == 43.235096802415306172);
  CHECK(last.velocity.z == 0.0084453583450805492366);
  CHECK(last.orientation == Quaternion{1.0, 0.0, 0.0, 0.0});
}
