#include "md/forces/coulomb/gathered_ewald.hpp"

#include <vector>

#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {

namespace {

/// The charges of all ranks, those of rank 0 first. Molecules are numbered over all ranks.
struct GatheredCharges {
  std::size_t first = 0;             ///< of this rank's charges
  std::vector<std::size_t> numbers;  ///< of this rank's charges among those that it was given
  std::vector<Vec3> positions, dipoles;
  std::vector<double> values;
  std::vector<std::int32_t> molecules;
};

GatheredCharges gather_charges(const comm::Context& context, const PointCharges& charges,
                               std::size_t molecule_count) {
  const auto rank = static_cast<std::size_t>(context.rank());
  const auto ranks = static_cast<std::size_t>(context.size());
  GatheredCharges gathered;
  gathered.numbers.reserve(charges.size());
  charges.for_each_molecule([&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) gathered.numbers.push_back(i);
  });
  std::vector<double> counts(2 * ranks, 0.0);  // charges, molecules of rank 0; of rank 1 ...
  counts[2 * rank] = static_cast<double>(gathered.numbers.size());
  counts[2 * rank + 1] = static_cast<double>(molecule_count);
  comm::ReductionBatch of_counts(context, "ewald counts");
  of_counts.sum(counts.data(), counts.size()).run();
  std::size_t total = 0;
  double first_molecule = 0.0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == rank) gathered.first = total;
    if (r < rank) first_molecule += counts[2 * r + 1];
    total += static_cast<std::size_t>(counts[2 * r]);
  }

  constexpr std::size_t width = 8;  // position, charge, molecule, dipole
  std::vector<double> all(width * total, 0.0);
  for (std::size_t k = 0; k < gathered.numbers.size(); ++k) {
    double* const row = all.data() + width * (gathered.first + k);
    const std::size_t i = gathered.numbers[k];
    const Vec3 position = charges.position(i), dipole = charges.dipole(i);
    for (int axis = 0; axis < 3; ++axis) row[axis] = position[axis], row[5 + axis] = dipole[axis];
    row[3] = charges.charge(i);
    row[4] = first_molecule + charges.molecule(i);
  }
  if (total > 0) {
    comm::ReductionBatch of_charges(context, "ewald charges");
    of_charges.sum(all.data(), all.size()).run();
  }
  for (std::size_t i = 0; i < total; ++i) {
    const double* row = all.data() + width * i;
    gathered.positions.push_back({row[0], row[1], row[2]});
    gathered.values.push_back(row[3]);
    gathered.dipoles.push_back({row[5], row[6], row[7]});
    gathered.molecules.push_back(static_cast<std::int32_t>(row[4]));
  }
  return gathered;
}

}  // namespace

CoulombResult gathered_ewald(const comm::Context& context, const EwaldSolver& solver,
                             const PointCharges& charges, std::size_t molecule_count) {
  const GatheredCharges all = gather_charges(context, charges, molecule_count);
  const EwaldSolver::Result part = solver.solve(
      {all.positions, all.values, all.molecules, {}, all.dipoles},
      {static_cast<std::size_t>(context.rank()), static_cast<std::size_t>(context.size())});

  const std::size_t total = all.values.size();
  constexpr std::size_t width = 7;  // potential, force, field
  std::vector<double> results(width * total);
  for (std::size_t i = 0; i < total; ++i) {
    double* row = results.data() + width * i;
    row[0] = part.potentials[i];
    for (int axis = 0; axis < 3; ++axis) {
      row[1 + axis] = part.forces[i][axis], row[4 + axis] = part.fields[i][axis];
    }
  }
  if (total > 0) {
    comm::ReductionBatch of_results(context, "ewald results");
    of_results.sum(results.data(), results.size()).run();
  }
  CoulombResult own;
  own.potentials.resize(charges.size());
  own.forces.resize(charges.size());
  own.fields.resize(charges.size());
  for (std::size_t k = 0; k < all.numbers.size(); ++k) {
    const std::size_t i = all.first + k, number = all.numbers[k];
    const double* row = results.data() + width * i;
    own.potentials[number] = row[0];
    own.forces[number] = {row[1], row[2], row[3]};
    own.fields[number] = {row[4], row[5], row[6]};
    own.energy += 0.5 * (all.values[i] * row[0] - dot(all.dipoles[i], own.fields[number]));
  }
  own.virial = part.virial;
  return own;
}

}  // namespace sterna::md
