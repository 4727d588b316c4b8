#include "md/observe/whole_molecules.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace sterna::md {

std::vector<std::vector<std::uint32_t>> bonded_atoms(const Topology::Molecule& molecule) {
  std::vector<std::vector<std::uint32_t>> partners(molecule.atoms.size());
  const auto add = [&](const Topology::Pair& pair) {
    partners[static_cast<std::size_t>(pair[0])].push_back(static_cast<std::uint32_t>(pair[1]));
    partners[static_cast<std::size_t>(pair[1])].push_back(static_cast<std::uint32_t>(pair[0]));
  };
  for (const Topology::Pair& bond : molecule.bonds) add(bond);
  for (const Topology::Constraint& constraint : molecule.constraints) add(constraint.atoms);
  for (auto& of_atom : partners) {
    std::ranges::sort(of_atom);
    of_atom.erase(std::unique(of_atom.begin(), of_atom.end()), of_atom.end());
  }
  return partners;
}

WholeMolecules::WholeMolecules(const comm::Context& context, const Topology& topology,
                               std::span<const AtomGroup> groups, const std::string& name)
    : topology_(&topology),
      ranks_(context.size()),
      to_keepers_(context, {.method = "auto", .name = name, .possible_sources = std::nullopt}) {
  for (std::size_t kind = 0; kind < topology.molecules().size(); ++kind) {
    wanted_.push_back(std::ranges::any_of(
        groups, [&](const AtomGroup& group) { return group.may_contain_molecule(kind); }));
    auto partners = bonded_atoms(topology.molecules()[kind]);
    for (const VirtualSite& site : topology.molecules()[kind].virtual_sites) {
      partners[static_cast<std::size_t>(site.atoms[0])].push_back(
          static_cast<std::uint32_t>(site.atom));
      partners[static_cast<std::size_t>(site.atom)].push_back(
          static_cast<std::uint32_t>(site.atoms[0]));
    }
    std::vector<Link>& links = links_.emplace_back();
    std::vector<char> placed(partners.size(), 0);
    // An atom that no chain of bonds joins to earlier atoms is placed next to the first atom.
    for (std::uint32_t first = 0; first < partners.size(); ++first) {
      if (placed[first] != 0) continue;
      placed[first] = 1;
      if (first > 0) links.push_back({first, 0});
      std::vector<std::uint32_t> front{first};
      for (std::size_t n = 0; n < front.size(); ++n) {
        for (const std::uint32_t next : partners[front[n]]) {
          if (placed[next] != 0) continue;
          placed[next] = 1;
          links.push_back({next, front[n]});
          front.push_back(next);
        }
      }
    }
  }
}

int WholeMolecules::keeper(std::int64_t molecule_number) const {
  const auto place =
      static_cast<double>(molecule_number - 1) / static_cast<double>(topology_->molecule_count());
  return std::min(ranks_ - 1, static_cast<int>(place * ranks_));
}

std::span<const WholeMolecules::Molecule> WholeMolecules::gather(const Frame& frame) {
  const ParticleStore& particles = frame.particles;
  std::vector<std::vector<Item>> for_rank(static_cast<std::size_t>(ranks_));
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    const Topology::Place place = topology_->place_of(particles.id[i]);
    if (wanted_[place.molecule] == 0) continue;
    const Image& image = particles.image[i];
    for_rank[static_cast<std::size_t>(keeper(place.molecule_number))].push_back(
        {particles.id[i],
         particles.position[i].vector() + frame.box.translation(image.x, image.y, image.z)});
  }
  std::vector<int> ranks(static_cast<std::size_t>(ranks_));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::size_t> offsets{0};
  std::vector<Item> outgoing;
  for (const auto& items : for_rank) {
    outgoing.insert(outgoing.end(), items.begin(), items.end());
    offsets.push_back(outgoing.size());
  }
  const auto rows = to_keepers_({ranks, offsets, outgoing});
  incoming_.assign(rows.items.begin(), rows.items.end());
  std::ranges::sort(incoming_, {}, &Item::id);

  positions_.resize(incoming_.size());
  molecules_.clear();
  for (std::size_t begin = 0; begin < incoming_.size();) {
    const Topology::Place place = topology_->place_of(incoming_[begin].id);
    const std::vector<Link>& links = links_[place.molecule];
    Vec3* const whole = positions_.data() + begin;
    whole[0] = incoming_[begin].position;
    for (const Link& link : links) {
      whole[link.atom] =
          whole[link.to] +
          frame.box.nearest_image(incoming_[begin + link.atom].position - whole[link.to]);
    }
    const std::size_t size = links.size() + 1;
    molecules_.push_back({place.molecule, place.molecule_number, place.first_id, {whole, size}});
    begin += size;
  }
  return molecules_;
}

}  // namespace sterna::md
