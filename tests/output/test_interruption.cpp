// The parts of tests/output/kill_and_continue and tests/output/fill_the_disk.
#include <fmt/format.h>

#include <sstream>

#include "md/output/atomic_file.hpp"
#include "md/output/checkpoint.hpp"
#include "md/output/h5md_writer.hpp"
#include "md/output/hdf5_file.hpp"
#include "md/output/json_log.hpp"
#include "output/output_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr std::int64_t total = 4099;
constexpr std::int64_t steps_to_checkpoint = 5;

std::string stem() {
  return std::string(std::getenv("STERNA_TEST_OUTPUT")) + "/run";
}

H5mdOptions options() {
  H5mdOptions options;
  options.fields = {"position", "velocity"};
  options.type_names = {"A", "B", "C"};
  options.type_masses = {1.0, 2.0, 3.0};
  return options;
}

void one_step(const comm::Context& context, H5mdWriter& trajectory, JsonLog& log,
              std::int64_t step) {
  const ParticleStore particles = dealt_particles(context, total, step);
  const Box box{{5000.0, 5000.0, 5000.0}};
  trajectory.write_frame(step, 0.5 * static_cast<double>(step), box, particles);
  log.thermo(step, 0.5 * static_cast<double>(step), {});
  if (step % steps_to_checkpoint != 0) return;
  trajectory.sync();
  log.sync();
  CheckpointState state;
  state.step = step;
  state.box = box;
  write_checkpoint(context, stem(), state, particles);
}

}  // namespace

TEST_CASE("runs until it is killed" * doctest::skip()) {
  const comm::Context context;
  std::ofstream(fmt::format("{}.pid.{}", stem(), context.rank())) << ::getpid() << "\n";
  H5mdWriter trajectory = H5mdWriter::create(context, stem() + ".h5md", total, options());
  JsonLog log(context, stem() + ".log");
  for (std::int64_t step = 0;; ++step) one_step(context, trajectory, log, step);
}

TEST_CASE("runs until the disk is full" * doctest::skip()) {
  const comm::Context context;
  H5mdWriter trajectory = H5mdWriter::create(context, stem() + ".h5md", total, options());
  JsonLog log(context, stem() + ".log");
  // A checkpoint must come before the end, the disk must be full after some thousand frames.
  std::int64_t step = 0;
  const std::string text = failure_of([&] {
    for (; step < 5000; ++step) one_step(context, trajectory, log, step);
  });
  CHECK(contains(text, stem()));
  CHECK(contains(text, "No space left on device"));
  CHECK(step > steps_to_checkpoint);
  CHECK(trajectory.frame_count() >= step);
}

TEST_CASE("continues after the kill" * doctest::skip()) {
  const comm::Context context;
  const FoundCheckpoint found = find_latest_checkpoint(context, stem());
  REQUIRE(!found.path.empty());
  // Only the one that was being written can be without an end.
  CHECK(found.refused.size() <= 1);
  for (const std::string& refused : found.refused) CHECK(contains(refused, ".checkpoint.new"));
  const std::int64_t step = found.step;
  ParticleStore particles;
  CheckpointReader(context, found.path).read_particles(particles);
  bool right = true;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    right &= particles.position[i].x == self_identifying(particles.id[i], 0, step);
  }
  CHECK(right);

  H5mdWriter trajectory = H5mdWriter::resume(context, stem() + ".h5md", total, options(), step);
  JsonLog log(context, stem() + ".log", step);
  CHECK(trajectory.frame_count() == step + 1);
  for (std::int64_t next = step + 1; next <= step + steps_to_checkpoint; ++next) {
    one_step(context, trajectory, log, next);
  }
  CHECK(find_latest_checkpoint(context, stem()).step == step + steps_to_checkpoint);

  if (context.rank() == 0) {
    std::istringstream lines(content_of(stem() + ".log"));
    std::int64_t expected = 0;
    for (std::string line; std::getline(lines, line);) {
      CHECK(nlohmann::json::parse(line)["step"] == expected++);
    }
    CHECK(expected == step + steps_to_checkpoint + 1);

    const hdf5::File file = hdf5::File::open(stem() + ".h5md");
    const std::string dataset = "particles/trajectory/position/value";
    const hdf5::Size frames = file.extent(dataset)[0];
    CHECK(frames == static_cast<hdf5::Size>(step + steps_to_checkpoint + 1));
    const RawFile raw(stem() + ".h5md", RawFile::Mode::read);
    std::vector<double> position(static_cast<std::size_t>(total) * 3);
    for (hdf5::Size frame = 0; frame < frames; ++frame) {
      const hdf5::Size first[3] = {frame, 0, 0};
      raw.read_at(file.chunk_offset(dataset, first), std::as_writable_bytes(std::span(position)));
      bool frame_right = true;
      for (std::int64_t slot = 0; slot < total; ++slot) {
        frame_right &= position[static_cast<std::size_t>(3 * slot)] ==
                       self_identifying(slot + 1, 0, static_cast<std::int64_t>(frame));
      }
      CHECK(frame_right);
    }
  }
  comm::barrier(context);
}
