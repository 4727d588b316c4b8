#include "md/start/foreign/ls1/generators.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"

namespace sterna::md::ls1 {
namespace {

class GeneratedStartReader final : public StartFileReader {
 public:
  explicit GeneratedStartReader(GeneratedStart start) : start_(std::move(start)) {
    header_.particle_count = static_cast<std::int64_t>(start_.molecules.size());
    header_.box = start_.box;
    header_.warnings = std::move(start_.warnings);
    header_.has_velocities = header_.has_orientations = header_.has_angular_momenta = true;
  }

 private:
  ParticleRecord next_particle() override {
    const Placed& molecule = start_.molecules[next_++];
    ParticleRecord record{};
    const Vec3& r = molecule.position;
    record.position = {r.x, r.y, r.z, molecule.component};
    record.velocity = molecule.velocity;
    record.id = static_cast<std::int64_t>(next_);
    record.orientation = molecule.orientation;
    record.angular_momentum = molecule.angular_momentum;
    return record;
  }
  void check_end() override {}  // no data can follow the last molecule

  GeneratedStart start_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<StartFileReader> open_generated_start(const std::string& config_path,
                                                      const StartFileOptions& options) {
  try {
    return std::make_unique<GeneratedStartReader>(
        generate_start(read_generator_config(config_path), options.seed));
  } catch (const XmlError& error) {
    throw StartFileError(error.diagnostic());
  }
}

}  // namespace sterna::md::ls1
