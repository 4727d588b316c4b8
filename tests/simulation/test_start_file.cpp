#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "md/core/file_error.hpp"
#include "md/output/hdf5_library.hpp"
#include "md/start/readers/start_file_reader.hpp"
#include "simulation/simulation_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr int edge = 15, particles = edge * edge * edge;

std::string head(int count, bool has_ids) {
  return fmt::format(
      "{}\nLattice=\"30 0 0 0 30 0 0 0 30\" Properties={}species:S:1:pos:R:3:velo:R:3\n", count,
      has_ids ? "id:I:1:" : "");
}

/// The line of the n-th particle, whose id is another one than n + 1.
std::string line(int n, bool has_ids) {
  const int x = n % edge, y = n / edge % edge, z = n / edge / edge;
  return fmt::format("{}A {} {} {} {:.6f} {} {}\n",
                     has_ids ? fmt::format("{} ", 4 * n % particles + 1) : "",
                     2 * x + 0.1 * (n % 7), 2 * y + 0.5, 2 * z + 0.01 * (n % 11),
                     0.1 * (n % 13) - 0.6, -0.25, 1e-3 * n);
}

std::string usual_file(bool has_ids) {
  std::string text = head(particles, has_ids);
  for (int n = 0; n < particles; ++n) text += line(n, has_ids);
  return text;
}

Input input_with(const comm::Context& world, const test::SharedFolder& folder,
                 const std::string& text) {
  if (world.rank() == 0) std::ofstream(folder.path() + "/start.extxyz") << text;
  comm::barrier(world);
  return test::input_of(folder.path(), "run",
                        "[run]\nsteps = 2\ntimestep = 0.004\n[start]\nkind = \"file\"\n"
                        "file = \"start.extxyz\"\n[[type]]\nname = \"A\"\n[interaction]\n"
                        "cutoff = 2.5\n");
}

/// Of the particles that the stream has.
std::int64_t fingerprint_of_stream(const comm::Context& world, const Input& input, const Box& box) {
  ParticleStore store;
  if (world.rank() == 0) {
    const auto reader = StartFileReader::open(input);
    const auto records = reader->read_chunk(particles);
    store.resize_local(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) set_particle(store, i, records[i]);
  }
  return test::fingerprint(world, store, box);
}

std::string failure(const comm::Context& world, const Input& input) {
  try {
    Simulation simulation(world, input, {.quiet = true, .files = false});
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("ranks that read pieces at once have the particles of the stream") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  for (const bool has_ids : {false, true}) {
    CAPTURE(has_ids);
    const Input input = input_with(world, folder, usual_file(has_ids));
    CHECK(StartFileReader::open(input)->piece_count() >= 8);
    const Simulation simulation(world, input, {.quiet = true, .files = false});
    CHECK(simulation.particle_count() == particles);
    const std::int64_t expected = fingerprint_of_stream(world, input, simulation.box());
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == expected);
  }
}

TEST_CASE("a frame of a trajectory is read by all ranks, compressed or not") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  try {
    hdf5::library();
  } catch (const FileError& error) {
    MESSAGE("skipped: ", error.what());
    return;
  }
  for (const auto compression :
       {Input::Output::Compression::none, Input::Output::Compression::lossless}) {
    Input input = input_with(world, folder, usual_file(true));
    input.output.trajectory_interval = 2;
    input.output.trajectory_fields = {"position", "velocity", "image"};
    input.output.trajectory_compression = compression;
    std::int64_t at_end = 0;
    {
      Simulation simulation(world, input, {.overwrite = true, .quiet = true});
      simulation.run();
      at_end = test::fingerprint(world, simulation.particles(), simulation.box());
    }
    Input next = input;
    next.start.file = "run.h5md";
    next.output.trajectory_interval = 0;
    CHECK(StartFileReader::open(next)->piece_count() >= 1);
    const Simulation simulation(world, next, {.quiet = true, .files = false});
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == at_end);
  }
}

TEST_CASE("a file that one rank alone sees, or sees otherwise, is read by it") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const Input input = input_with(world, folder, usual_file(true));
  if (world.rank() == 0) {
    std::ofstream(folder.path() + "/other.extxyz") << head(1, true) + line(0, true);
  }
  comm::barrier(world);
  for (const std::string other : {"nowhere.extxyz", "other.extxyz"}) {
    Input seen = input;
    if (world.rank() > 0) seen.start.file = other;
    const Simulation simulation(world, seen, {.quiet = true, .files = false});
    const std::int64_t expected = fingerprint_of_stream(world, input, simulation.box());
    CHECK(test::fingerprint(world, simulation.particles(), simulation.box()) == expected);
  }
}

TEST_CASE("what is wrong anywhere in the file is told by line and column, on all ranks") {
  const comm::Context world;
  const test::SharedFolder folder(world);
  const auto fails_with = [&](const std::string& text, const std::string& place,
                              const std::string& message) {
    const std::string told = failure(world, input_with(world, folder, text));
    CAPTURE(told);
    CAPTURE(message);
    CHECK(told.find("start.extxyz:" + place) != std::string::npos);
    CHECK(told.find(message) != std::string::npos);
  };
  std::string text = usual_file(true);
  const std::string last = line(particles - 1, true);
  fails_with(text.substr(0, text.size() - 5 * last.size()) + "x" + last, "", "expected");
  // The id of the first line once more, in the last one.
  const std::string all_but_last = text.substr(0, text.size() - last.size());
  fails_with(all_but_last + "1" + last.substr(last.find(' ')), fmt::format("{}:1", particles + 2),
             "a second particle of id 1");
  fails_with(all_but_last, fmt::format("{}:1", particles + 2),
             fmt::format("the file ends after {} of {} particles", particles - 1, particles));
  fails_with(text + last, fmt::format("{}:1", particles + 3), "expected the end of the file");
  // Two mistakes, of which the first one in the file counts.
  std::string broken = text;
  broken.replace(text.find('\n', text.size() / 4) + 1, 1, "q");
  broken.replace(text.find('\n', text.size() / 2) + 1, 1, "q");
  const auto before = static_cast<std::size_t>(text.find('\n', text.size() / 4) + 1);
  const auto lines =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(before), '\n');
  fails_with(broken, fmt::format("{}:1", lines + 1), "the id of a particle");
  CHECK(failure(world, input_with(world, folder, text + "\n \n\n")) == "none");
}
