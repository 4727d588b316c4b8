#pragma once

// Whole runs from the text of an input, for tests on any number of ranks.

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "md/input/diagnostics.hpp"
#include "md/input/read_input.hpp"
#include "md/simulation/simulation.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md::test {

/// A folder that all ranks see and that is gone afterwards.
class SharedFolder {
 public:
  explicit SharedFolder(const comm::Context& context) : context_(context) {
    if (context.rank() == 0) {
      std::string pattern =
          (std::filesystem::temp_directory_path() / "sterna-test-XXXXXX").string();
      path_ = mkdtemp(pattern.data());
    }
    comm::broadcast(context, 0, path_);
  }
  ~SharedFolder() {
    comm::barrier(context_);
    std::error_code ignored;
    if (context_.rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  const comm::Context& context_;
  std::string path_;
};

/// Reads `text` as the input `folder`/NAME.toml, with its output in `folder`.
inline Input input_of(const std::string& folder, const std::string& name, const std::string& text) {
  const std::string path = folder + "/" + name + ".toml";
  const std::string full = text + fmt::format(
                                      "\n[output]\ndirectory = \"{}\"\nthermo_interval = 10\n"
                                      "checkpoint_interval = 40\n",
                                      folder);
  const ReadResult result = read_input_text(full, path);
  if (!result.ok()) throw std::runtime_error(render(result.diagnostics));
  return result.input;
}

/// The same number for the same particles at the same places with the same velocities, bit for
/// bit, whatever rank holds which of them.
inline std::int64_t fingerprint(const comm::Context& context, const ParticleStore& particles,
                                const Box& box) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    int image[3];
    const Vec3 p = box.wrap(particles.position[i].vector(), image);
    const Vec3& v = particles.velocity[i];
    std::uint64_t hash = static_cast<std::uint64_t>(particles.id[i]);
    const auto add = [&hash](double value) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    };
    for (const double value : {p.x, p.y, p.z, v.x, v.y, v.z}) add(value);
    if (particles.rotating()) {
      const Quaternion& q = particles.orientation[i];
      const Vec3& l = particles.angular_momentum[i];
      for (const double value : {q.w, q.x, q.y, q.z, l.x, l.y, l.z}) add(value);
    }
    // So that the sum of all fits.
    sum += static_cast<std::int64_t>(hash >> 24);
  }
  comm::ReductionBatch batch(context, "fingerprint");
  batch.sum(sum).run();
  return sum;
}

}  // namespace sterna::md::test
