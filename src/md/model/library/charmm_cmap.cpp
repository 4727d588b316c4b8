#include "md/model/library/charmm_cmap.hpp"

#include <array>
#include <cstddef>

namespace sterna::md {
namespace {

constexpr std::size_t energies_per_kind = 24 * 24;
using Tables = std::array<double, charmm_cmap_kinds * energies_per_kind>;

constexpr Tables charmm22{
#include "md/model/library/charmm22_cmap.inc"
};
constexpr Tables charmm36{
#include "md/model/library/charmm36_cmap.inc"
};

}  // namespace

std::span<const double> charmm_cmap(int version, int kind) {
  if ((version != 22 && version != 36) || kind < 1 || kind > charmm_cmap_kinds) return {};
  const Tables& tables = version == 22 ? charmm22 : charmm36;
  return std::span(tables).subspan(static_cast<std::size_t>(kind - 1) * energies_per_kind,
                                   energies_per_kind);
}

}  // namespace sterna::md
