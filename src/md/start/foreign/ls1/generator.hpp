#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "md/core/random.hpp"
#include "md/start/foreign/ls1/generators.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// What the generators have in common: values of their element, random numbers, molecules so far.
class Generator {
 public:
  Generator(const GeneratorConfig& config, std::uint64_t seed);
  virtual ~Generator() = default;
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// Throws XmlError and StartFileError.
  GeneratedStart generate();

 protected:
  virtual void make_molecules() = 0;

  /// Throws the first error that reading values has found.
  void check() const;
  const Input::Component& component(std::int64_t number) const;
  std::int64_t component_count() const;
  /// The descendant's number, greater than 0.
  double number(const XmlElement& parent, std::string_view path);
  /// The descendant's whole number, from 1.
  std::int64_t count(const XmlElement& parent, std::string_view path);

  /// Wraps the molecule into the box.
  void add(Placed molecule);
  RandomSequence random_of_next(const RandomStream& stream) const;

  /// All molecules of a component have the same speed, by the temperature and their mass.
  void equal_velocity(Placed& molecule, double degrees_of_freedom, double temperature) const;
  void maxwell_velocity(Placed& molecule) const;
  void remove_momentum();

  /// The binary files that `<header>` and `<data>` of the element name.
  BinaryPhaseSpace phase_space(const XmlElement& element);
  static Placed placed(const ParticleRecord& record);

  const GeneratorConfig& config_;
  const XmlElement& generator_;
  mutable XmlValues values_;
  RandomStream velocity_stream_, vacancy_stream_, displacement_stream_;
  GeneratedStart start_;
};

using MakeGenerator = std::unique_ptr<Generator>(const GeneratorConfig& config, std::uint64_t seed);

/// Objects filled with a crystal or with copies of a phase space.
MakeGenerator make_multi_object_generator;
/// A body-centered grid in the whole box.
MakeGenerator make_cubic_grid_generator;
/// ls1's mkesfera: a droplet in its vapor.
MakeGenerator make_droplet_generator;
/// Copies of one box, or of a vapor's and a liquid's.
MakeGenerator make_replica_generator;
/// ls1's mkTcTS: two layers of different densities.
MakeGenerator make_layer_generator;
/// ls1's PerCellGenerator: so many molecules at random in each cell.
MakeGenerator make_cell_generator;

}  // namespace sterna::md::ls1
