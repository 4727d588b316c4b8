#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "md/core/agreement.hpp"
#include "md/input/atom_groups.hpp"
#include "md/neighbors/pair_list.hpp"
#include "md/observe/check_reach.hpp"
#include "md/observe/observer_table.hpp"
#include "md/observe/quantity_series.hpp"
#include "md/observe/whole_molecules.hpp"
#include "md/system/molecule_places.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

struct HydrogenBondOptions {
  std::int64_t interval = 0;
  std::string hydrogens, acceptors;
  double distance = 0.0;
  double angle = 150.0;
};

/// The number of hydrogen bonds: donor and acceptor are at most `distance` apart, and the angle
/// donor - hydrogen - acceptor is at least `angle` (the criterion of Smith et al., Phys. Chem.
/// Chem. Phys. 21, 9845 (2019), and of MDAnalysis). The donor is the atom to which the hydrogen is
/// bonded. The pairs come from the neighbor list, which lacks pairs that a molecule excludes.
class HydrogenBonds final : public Observer {
 public:
  HydrogenBonds(const HydrogenBondOptions& options, const ObserverRequest& request)
      : Observer("hydrogen_bonds", options.interval),
        context_(request.context),
        units_(request.input.units),
        topology_(request.topology),
        groups_(groups_from_input(request.input, request.topology,
                                  {options.hydrogens, options.acceptors})),
        distance_(options.distance),
        cosine_(std::cos(options.angle * std::numbers::pi / 180.0)) {
    for (const Topology::Molecule& molecule : topology_.molecules()) {
      partners_.push_back(bonded_atoms(molecule));
    }
  }

  void sample(const Frame& frame) override {
    double bonds = 0.0;
    std::string failure;
    const ParticleStore& particles = frame.particles;
    MoleculePlaces places(topology_, frame.box);
    places.rebuild(particles);
    std::uint32_t last = ~0u;
    std::vector<Vec3> hydrogens;
    frame.list.for_each_neighbor(
        particles, distance_, [&](std::uint32_t donor, std::uint32_t acceptor, double) {
          if (donor != last) {
            last = donor;
            hydrogens.clear();
            for (const std::int64_t id : hydrogens_of(particles.id[donor])) {
              const auto place = places.nearest(id, particles.position[donor].vector());
              if (place) {
                hydrogens.push_back(particles.position[*place].vector());
              } else if (failure.empty()) {
                failure = places.missing(particles.id[donor], id, context_.rank());
              }
            }
          }
          if (hydrogens.empty() || !groups_[1].contains(particles.id[acceptor], 0)) return;
          const Vec3 to = particles.position[acceptor].vector();
          const Vec3 from = particles.position[donor].vector();
          for (const Vec3& hydrogen : hydrogens) {
            const Vec3 back = from - hydrogen, on = to - hydrogen;
            const double lengths = std::sqrt(dot(back, back) * dot(on, on));
            if (lengths > 0.0 && dot(back, on) <= cosine_ * lengths) bonds += 1.0;
          }
        });
    agree(context_, failure);
    comm::ReductionBatch batch(context_, name());
    batch.sum(bonds).run();
    series_.add(frame.step, frame.time, std::span(&bonds, 1));
  }

  std::vector<double> common() const override { return series_.state(); }
  void set_common(std::span<const double> values) override { series_.set_state(values); }

  ObserverReport report(std::span<const double>) const override {
    ObserverReport report;
    report.text =
        fmt::format("# {} samples\n", series_.count()) + series_.text(units_, Dimension::none);
    if (series_.count() == 0) return report;
    const SettledMean average = series_.average(0, reported_from());
    report.add_average("hydrogen_bonds", average.mean, average.standard_error, units_,
                       Dimension::none);
    return report;
  }

 private:
  /// The ids of the group's hydrogens that are bonded to this atom.
  std::vector<std::int64_t> hydrogens_of(std::int64_t donor) const {
    std::vector<std::int64_t> ids;
    const Topology::Place place = topology_.place_of(donor);
    // A hydrogen is no donor. In rigid water a constraint joins the two hydrogens, so this must be
    // checked.
    if (groups_[0].contains(donor, 0)) return ids;
    for (const std::uint32_t atom :
         partners_[place.molecule][static_cast<std::size_t>(place.atom)]) {
      const std::int64_t id = place.first_id + atom;
      if (groups_[0].contains(id, 0)) ids.push_back(id);
    }
    return ids;
  }

  comm::Context context_;
  UnitSystem units_;
  const Topology& topology_;
  std::vector<AtomGroup> groups_;  ///< hydrogens, acceptors
  double distance_, cosine_;
  std::vector<std::vector<std::vector<std::uint32_t>>> partners_;  ///< by kind and atom
  QuantitySeries series_{{"hydrogen_bonds"}};
};

std::unique_ptr<Observer> make_hydrogen_bonds(const ObserverRequest& request) {
  return std::make_unique<HydrogenBonds>(request.input.section<HydrogenBondOptions>(), request);
}

void check_hydrogen_bonds(const Input& input, const IsGood& is_good, const Report& report) {
  if (!is_good("hydrogen_bonds.interval")) return;
  const auto& options = input.section<HydrogenBondOptions>();
  if (input.molecules.empty()) {
    report(Severity::error, "hydrogen_bonds.interval",
           "[hydrogen_bonds] observes the atoms of [[molecule]]s, and this input has none");
    return;
  }
  check_group_names(input, is_good, report, "hydrogen_bonds.hydrogens", {options.hydrogens}, true);
  check_group_names(input, is_good, report, "hydrogen_bonds.acceptors", {options.acceptors}, true);
  check_reach(input, is_good, report, "hydrogen_bonds.distance", options.distance);
}

}  // namespace

ObserverRow observer::hydrogen_bonds() {
  return {
      .schema = {.name = "hydrogen_bonds",
                 .description = "How many hydrogen bonds flexible molecules have, by distance and "
                                "angle.",
                 .aliases = {"hbonds", "hbond", "hydrogen_bond"}},
      .keys = {interval_key<HydrogenBondOptions>(),
               {.name = "hydrogens",
                .target = option<&HydrogenBondOptions::hydrogens>,
                .description = "Name of the `[[group]]` of the hydrogens. What they are bonded to "
                               "is the donor.",
                .need = Need::required},
               {.name = "acceptors",
                .target = option<&HydrogenBondOptions::acceptors>,
                .description = "Name of the `[[group]]` of the acceptors.",
                .need = Need::required},
               {.name = "distance",
                .target = option<&HydrogenBondOptions::distance>,
                .description = "The greatest distance from donor to acceptor: 0.3 nm in "
                               "MDAnalysis, 0.35 nm in GROMACS. At most the cutoff.",
                .need = Need::required,
                .dimension = Dimension::length,
                .range = {.minimum = 0.0, .exclusive_minimum = true},
                .aliases = {"d_a_cutoff", "cutoff"}},
               {.name = "angle",
                .target = option<&HydrogenBondOptions::angle>,
                .description = "The smallest angle from donor over hydrogen to acceptor, in "
                               "degrees.",
                .range = {.minimum = 0.0, .maximum = 180.0},
                .aliases = {"d_h_a_angle_cutoff", "angle_cutoff"}}},
      .interval = interval_of<HydrogenBondOptions>,
      .check = check_hydrogen_bonds,
      .make = make_hydrogen_bonds,
      .needs_all_pairs = true,
      .needs_full_shell = true};
}

}  // namespace sterna::md
