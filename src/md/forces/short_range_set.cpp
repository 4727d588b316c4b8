// Idea:    each short-range term sets the forces of all particles as if it were the only one. If
//          there are several, each but the first writes to arrays of its own, which replace the
//          store's during a call and are added at the end.
// Cost:    for each further term a list, a vector for each particle, and one more addition. A run
//          with one term has no extra cost.
// Hazards: a term around few particles adds to the arrays of the first ones, so it comes last.
//          If one term needs the forces of all ghosts returned and another those of the half shell,
//          the latter computes pairs across borders on both ranks.
// Others:  kernels that add forces would have to know which term is the first.

#include "md/forces/short_range_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>

#include "md/neighbors/excluded_neighbors.hpp"

namespace sterna::md {

namespace {

/// The number of terms that cannot have rows around few particles. There is at least one term that
/// sorts the particles.
std::size_t count_of_ordinary(const std::vector<std::unique_ptr<ShortRangeForces>>& terms,
                              const ShortRangeSet::Options& options) {
  if (terms.empty()) throw std::invalid_argument("a run has at least one short-range term");
  if (options.lists_all_pairs) return terms.size();
  const auto count =
      std::ranges::count_if(terms, [](const auto& term) { return !term->acts_around_few(); });
  return count == 0 ? terms.size() : static_cast<std::size_t>(count);
}

std::vector<std::unique_ptr<ShortRangeForces>> in_order(
    std::vector<std::unique_ptr<ShortRangeForces>> terms, const ShortRangeSet::Options& options) {
  const bool apart = count_of_ordinary(terms, options) < terms.size();
  std::ranges::stable_sort(terms, std::greater(), [&](const auto& term) {
    return std::pair(!(apart && term->acts_around_few()), term->range());
  });
  return terms;
}

GhostForces ghost_forces_of_all(const std::vector<std::unique_ptr<ShortRangeForces>>& terms,
                                bool lists_full_shell) {
  const auto is = [](GhostForces kind) {
    return [kind](const auto& term) { return term->ghost_forces() == kind; };
  };
  if (std::ranges::any_of(terms, is(GhostForces::full_shell))) return GhostForces::full_shell;
  const bool half = std::ranges::all_of(terms, is(GhostForces::half_shell)) && !lists_full_shell;
  return half ? GhostForces::half_shell : GhostForces::none;
}

}  // namespace

class ShortRangeSet::OwnForces {
 public:
  OwnForces(ShortRangeSet& set, std::size_t k, ParticleStore& particles)
      : own_(k == 0 || set.is_around_few(k) ? nullptr : &set.others_[k - 1]),
        particles_(particles) {
    exchange();
  }
  OwnForces(const OwnForces&) = delete;
  OwnForces& operator=(const OwnForces&) = delete;
  ~OwnForces() { exchange(); }

 private:
  void exchange() {
    if (own_ == nullptr) return;
    particles_.force.swap(own_->force);
    particles_.torque.swap(own_->torque);
  }
  Own* own_;
  ParticleStore& particles_;
};

ShortRangeSet::ShortRangeSet(std::vector<std::unique_ptr<ShortRangeForces>> terms,
                             const Options& options)
    : terms_(in_order(std::move(terms), options)),
      ordinary_(count_of_ordinary(terms_, options)),
      ghost_forces_(ghost_forces_of_all(terms_, options.lists_full_shell)),
      listed_(types_in_cells(options)),
      leaves_out_(first_lacks_pairs(options)),
      // Pairs of types can be left out only in rows of a single particle.
      list_(options.kernels, leaves_out_ && !options.lists_all_pairs ? 1 : terms_[0]->group(),
            terms_[0]->reads_half_lists()) {
  for (int type = 0; type < options.type_count && !options.lists_all_pairs; ++type) {
    unlisted_.push_back(
        std::ranges::none_of(terms_, [&](const auto& term) { return term->needs_in_list(type); }));
  }
  if (std::ranges::count(unlisted_, 1) == 0) unlisted_.clear();
  for (std::size_t k = 1; k < size(); ++k) {
    Own& own = others_.emplace_back(
        PairList(list_, terms_[k]->range() + options.skin, terms_[k]->reads_half_lists()));
    own.kept = pairs_of_types(k, options.type_count);
    if (is_around_few(k)) set_few(own, *terms_[k], options);
  }
  list_.set_listed_types(std::move(listed_));
  if (leaves_out_ && !options.lists_all_pairs) kept_ = pairs_of_types(0, options.type_count);
}

std::vector<char> ShortRangeSet::types_in_cells(const Options& options) const {
  std::vector<char> listed;
  if (options.lists_all_pairs) return listed;
  for (int type = 0; type < options.type_count; ++type) {
    listed.push_back(std::ranges::any_of(terms_, [&](const auto& term) {
      // The few themselves are found without cells.
      const bool is_few =
          has_rows_around_few() && term->acts_around_few() && term->acts_between(type, type);
      return term->needs_in_list(type) && !is_few;
    }));
  }
  return listed;
}

bool ShortRangeSet::first_lacks_pairs(const Options& options) const {
  if (ordinary_ > 1) return true;
  for (int type = 0; type < options.type_count && size() > 1 && !listed_.empty(); ++type) {
    if (listed_[static_cast<std::size_t>(type)] != 0 && !terms_[0]->needs_in_list(type))
      return true;
  }
  return false;
}

void ShortRangeSet::set_few(Own& own, const ShortRangeForces& term, const Options& options) {
  const double skin = (term.widens_rows_around_few() ? 2.0 : 1.0) * options.skin;
  for (int a = 0; a < options.type_count; ++a) {
    own.is_few.push_back(term.acts_between(a, a));
    for (int b = 0; b < options.type_count; ++b) {
      own.radius.push_back(term.acts_between(a, b) ? term.range_between(a, b) + skin : 0.0);
    }
  }
}

double ShortRangeSet::range() const {
  double longest = 0.0;
  for (const auto& term : terms_) longest = std::max(longest, term->range());
  return longest;
}

std::vector<char> ShortRangeSet::pairs_of_types(std::size_t k, int type_count) const {
  std::vector<char> kept;
  for (int a = 0; a < type_count; ++a) {
    for (int b = 0; b < type_count; ++b) kept.push_back(terms_[k]->acts_between(a, b));
  }
  return kept;
}

void ShortRangeSet::place_ghosts(const ParticleStore& particles, std::vector<std::uint32_t>& slots,
                                 std::optional<std::span<const char>> half_shell) {
  const std::size_t local = particles.local_count();
  const std::span<const Position> ghosts(particles.position.data() + local,
                                         particles.ghost_count());
  list_.place_ghosts(ghosts, local, slots, half_shell);
  for (Own& own : others_) {
    own.few_ghosts.clear();
    for (std::size_t k = 0; k < ghosts.size() && !own.is_few.empty(); ++k) {
      if (own.is_few[static_cast<std::size_t>(ghosts[k].type)] == 0) continue;
      if (half_shell && (*half_shell)[k] == 0) continue;
      own.few_ghosts.push_back(static_cast<std::uint32_t>(local + slots[k]));
    }
    std::ranges::sort(own.few_ghosts);
  }
}

std::vector<std::uint32_t> ShortRangeSet::few_of(const Own& own,
                                                 const ParticleStore& particles) const {
  std::vector<std::uint32_t> places;
  for (std::size_t i = 0; i < particles.local_count(); ++i) {
    if (own.is_few[static_cast<std::size_t>(particles.position[i].type)] != 0) {
      places.push_back(static_cast<std::uint32_t>(i));
    }
  }
  places.insert(places.end(), own.few_ghosts.begin(), own.few_ghosts.end());
  return places;
}

void ShortRangeSet::rebuild(ParticleStore& particles, const MoleculePlaces* places,
                            bool forget_positions) {
  list_.build(particles);
  if (!kept_.empty()) list_.keep_pairs_of_types(particles, kept_);
  for (Own& own : others_) {
    if (!own.is_few.empty()) {
      const std::vector<std::uint32_t> few = few_of(own, particles);
      own.few_local.assign(few.begin(),
                           few.end() - static_cast<std::ptrdiff_t>(own.few_ghosts.size()));
      own.list.build_rows_around(particles, {few, own.is_few, own.radius});
      continue;
    }
    own.list.build_rows();
    own.list.keep_pairs_of_types(particles, own.kept);
    own.force.renew(particles.force.size());
    own.torque.renew(particles.torque.size());
  }
  if (forget_positions) list_.forget_positions();
  for (std::size_t k = 0; k < size(); ++k) {
    // Pairs with a rigid molecule are never excluded.
    if (places != nullptr && !is_around_few(k)) exclude_neighbors(list_of(k), *places);
    const OwnForces own(*this, k, particles);
    terms_[k]->rebuild(list_of(k), particles);
  }
}

void ShortRangeSet::compute(std::size_t k, ParticleStore& particles, PairList::Cells cells,
                            EnergyAndVirial* sums) {
  const OwnForces own(*this, k, particles);
  terms_[k]->compute(list_of(k), particles, cells, sums);
}

void ShortRangeSet::compute_pass(std::size_t k, int pass, ParticleStore& particles,
                                 EnergyAndVirial* sums) {
  const OwnForces own(*this, k, particles);
  terms_[k]->compute_pass(pass, list_of(k), particles, sums);
}

bool ShortRangeSet::rows_around_few_are_wide() const {
  for (std::size_t k = ordinary_; k < size(); ++k) {
    if (!terms_[k]->widens_rows_around_few()) return false;
  }
  return has_rows_around_few();
}

double ShortRangeSet::displacement_of_few(const ParticleStore& particles) const {
  double largest = 0.0;
  for (const Own& own : others_) {
    for (const std::uint32_t i : own.few_local) {
      const Vec3 moved = list_.displacement(particles, i);
      largest = std::max(largest, dot(moved, moved));
    }
  }
  return std::sqrt(largest);
}

void ShortRangeSet::add_forces_of_ghosts(ParticleStore& particles) {
  for (std::size_t k = ordinary_; k < size(); ++k) {
    // Beside a term that needs all ghosts, each rank computes these pairs for its own particles.
    if (!returns_forces(k)) continue;
    terms_[k]->add_forces_of_ghosts(particles, collected_forces(0, particles));
  }
}

CollectedForces ShortRangeSet::collected_forces(std::size_t k, ParticleStore& particles) {
  const OwnForces own(*this, k, particles);
  return terms_[k]->collected_forces(particles);
}

void ShortRangeSet::set_forces(std::size_t k, ParticleStore& particles, const Mover* move) {
  {
    const OwnForces own(*this, k, particles);
    terms_[k]->set_forces(list_of(k), particles, move);
  }
  const bool without_torques = particles.rotating() && !terms_[k]->sets_torques();
  if (is_around_few(k)) return;
  if (k == 0) {
    if (without_torques) std::ranges::fill(particles.torque.span(), Vec3{});
    return;
  }
  const Own& own = others_[k - 1];
  for (std::size_t i = 0; i < particles.local_count(); ++i) particles.force[i] += own.force[i];
  if (!particles.rotating() || without_torques) return;
  for (std::size_t r = 0; r < own.torque.size(); ++r) particles.torque.data()[r] += own.torque[r];
}

}  // namespace sterna::md
