#include "md/start/foreign/ls1/generator.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace sterna::md::ls1 {
namespace {

constexpr std::size_t most_generated_molecules = 200'000'000;

}  // namespace

Generator::Generator(const GeneratorConfig& config, std::uint64_t seed)
    : config_(config),
      generator_(config.generator),
      velocity_stream_(seed, RandomPurpose::velocity),
      vacancy_stream_(seed, RandomPurpose::vacancy),
      displacement_stream_(seed, RandomPurpose::displacement) {
  start_.box.length = config.box;
}

GeneratedStart Generator::generate() {
  generator_.attribute("name");
  make_molecules();
  check();
  if (start_.molecules.empty()) generator_.fail("the generator makes no molecule");
  values_.report_unread(generator_);
  start_.warnings = std::move(values_.diagnostics());
  return std::move(start_);
}

void Generator::check() const {
  for (const Diagnostic& diagnostic : values_.diagnostics()) {
    if (diagnostic.severity == Severity::error) throw XmlError(diagnostic);
  }
}

const Input::Component& Generator::component(std::int64_t number) const {
  return config_.types.components[static_cast<std::size_t>(number)];
}

std::int64_t Generator::component_count() const {
  return static_cast<std::int64_t>(config_.types.components.size());
}

double Generator::number(const XmlElement& parent, std::string_view path) {
  const XmlElement* element = values_.require(parent, path);
  return element != nullptr ? values_.positive(*element).value_or(1.0) : 1.0;
}

std::int64_t Generator::count(const XmlElement& parent, std::string_view path) {
  const XmlElement* element = values_.require(parent, path);
  return element != nullptr ? values_.integer(*element, 1, 100'000).value_or(1) : 1;
}

void Generator::add(Placed molecule) {
  if (start_.molecules.size() == most_generated_molecules) {
    generator_.fail(
        fmt::format("the generator makes more than {} molecules", most_generated_molecules));
  }
  int crossings[3];
  molecule.position = start_.box.wrap(molecule.position, crossings);
  start_.molecules.push_back(molecule);
}

RandomSequence Generator::random_of_next(const RandomStream& stream) const {
  return stream.sequence(start_.molecules.size() + 1, 0);
}

void Generator::equal_velocity(Placed& molecule, double degrees_of_freedom,
                               double temperature) const {
  RandomSequence random = random_of_next(velocity_stream_);
  const double mass = mass_of(component(molecule.component));
  const double speed = std::sqrt(degrees_of_freedom * temperature / mass);
  const double height = 2.0 * random.uniform() - 1.0;
  const double angle = 2.0 * std::numbers::pi * random.uniform();
  const double across = std::sqrt(1.0 - height * height);
  molecule.velocity = speed * Vec3{across * std::cos(angle), across * std::sin(angle), height};
}

void Generator::maxwell_velocity(Placed& molecule) const {
  RandomSequence random = random_of_next(velocity_stream_);
  const Input::Component& type = component(molecule.component);
  const double speed = std::sqrt(config_.temperature / mass_of(type));
  Vec3 turn;
  for (int axis = 0; axis < 3; ++axis) {
    molecule.velocity[axis] = speed * random.normal();
    turn[axis] = std::sqrt(config_.temperature * (*type.inertia)[axis]) * random.normal();
  }
  molecule.angular_momentum = molecule.orientation.to_lab(turn);
}

void Generator::remove_momentum() {
  Vec3 momentum;
  double mass = 0.0;
  for (const Placed& molecule : start_.molecules) {
    momentum += mass_of(component(molecule.component)) * molecule.velocity;
    mass += mass_of(component(molecule.component));
  }
  for (Placed& molecule : start_.molecules) molecule.velocity -= momentum * (1.0 / mass);
}

BinaryPhaseSpace Generator::phase_space(const XmlElement& element) {
  const XmlElement* header = values_.require(element, "header");
  const XmlElement* data = values_.require(element, "data");
  check();
  BinaryPhaseSpace box = read_binary_phase_space(header->resolve(header->text),
                                                 data->resolve(data->text), component_count());
  for (const Diagnostic& warning : box.warnings) values_.add(warning);
  return box;
}

Placed Generator::placed(const ParticleRecord& record) {
  return {record.position.type, record.position.vector(), record.velocity, record.orientation,
          record.angular_momentum};
}

}  // namespace sterna::md::ls1
