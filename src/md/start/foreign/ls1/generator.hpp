#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "md/core/random.hpp"
#include "md/start/foreign/ls1/generators.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"

namespace sterna::md::ls1 {

/// The common part of all generators: values of their element, random numbers, the molecules so
/// far.
class Generator {
 public:
  Generator(const GeneratorConfig& config, std::uint64_t seed);
  virtual ~Generator() = default;
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  /// Makes the start. Throws XmlError and StartFileError.
  GeneratedStart generate();

 protected:
  virtual void make_molecules() = 0;

  /// Throws the first error found while values were read.
  void check() const;
  const Input::Component& component(std::int64_t number) const;
  std::int64_t component_count() const;
  /// The descendant's number, which must be greater than 0.
  double number(const XmlElement& parent, std::string_view path);
  /// The descendant's whole number, which must be at least 1.
  std::int64_t count(const XmlElement& parent, std::string_view path);

  /// Wraps the molecule into the box.
  void add(Placed molecule);
  RandomSequence random_of_next(const RandomStream& stream) const;

  /// Gives the molecule a velocity of random direction. All molecules of a component get the same
  /// speed, which follows from the temperature and their mass.
  void equal_velocity(Placed& molecule, double degrees_of_freedom, double temperature) const;
  void maxwell_velocity(Placed& molecule) const;
  void remove_momentum();

  /// Reads the binary phase space whose files are in `<header>` and `<data>` of the element.
  BinaryPhaseSpace phase_space(const XmlElement& element);
  static Placed placed(const ParticleRecord& record);

  const GeneratorConfig& config_;
  const XmlElement& generator_;
  mutable XmlValues values_;
  RandomStream velocity_stream_, vacancy_stream_, displacement_stream_;
  GeneratedStart start_;
};

using MakeGenerator = std::unique_ptr<Generator>(const GeneratorConfig& config, std::uint64_t seed);

/// Fills objects with a crystal or with copies of a phase space.
MakeGenerator make_multi_object_generator;
/// Fills the box with a body-centered grid.
MakeGenerator make_cubic_grid_generator;
/// Makes a droplet in its vapor, as ls1's mkesfera.
MakeGenerator make_droplet_generator;
/// Makes copies of a box, or of a box of vapor and a box of liquid.
MakeGenerator make_replica_generator;
/// Makes two layers of different densities, as ls1's mkTcTS.
MakeGenerator make_layer_generator;
/// Places so many molecules at random in each cell, as ls1's PerCellGenerator.
MakeGenerator make_cell_generator;

}  // namespace sterna::md::ls1
