// Subtracts Coulomb forces of excluded pairs of whole molecules, in double precision. The lanes of
// vectors are molecules.

#include "md/forces/coulomb/excluded_work.hpp"
#include "md/system/kernels/molecule_block.hpp"

namespace sterna::md {
namespace {

void subtract(ExcludedWork& work) {
  using V = Vector<double>;
  MoleculeBlock<double> block(work.molecules);
  for (std::size_t begin = 0; begin < work.molecules.count; begin += block.width) {
    block.gather(begin);
    V energies{}, virial[6]{};
    for (std::size_t p = 0; p < work.pair_count; ++p) {
      const ExcludedWork::Pair& pair = work.pairs[p];
      const auto at = [&](std::size_t axis) {
        return block.connection(pair.second, pair.first, axis);
      };
      const V x = at(0), y = at(1), z = at(2);
      const V inverse = inverse_root(x * x + y * y + z * z);
      const V energy = pair.product * inverse;
      const V slope = energy * (inverse * inverse);
      const V force[3] = {slope * x, slope * y, slope * z};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        block.force(pair.first, axis) -= force[axis];
        block.force(pair.second, axis) += force[axis];
      }
      if (!work.with_sums) continue;
      energies -= energy;
      virial[0] -= x * force[0];
      virial[1] -= y * force[1];
      virial[2] -= z * force[2];
      virial[3] -= x * force[1];
      virial[4] -= x * force[2];
      virial[5] -= y * force[2];
    }
    block.scatter();
    if (!work.with_sums) continue;
    work.energy += block.sum(energies);
    for (int k = 0; k < 6; ++k) work.virial[k] += block.sum(virial[k]);
  }
}

const ExcludedKernels kernels{STERNA_KERNEL_NAME, subtract};

}  // namespace
}  // namespace sterna::md
