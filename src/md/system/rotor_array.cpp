// Idea:    few particles turn, so orientations, angular momenta and torques have an array of their
//          own, in the order of the store. A bit for each particle says whether it turns; the bits
//          before it, counted, are its place in that array.
// Source:  rank queries of bit vectors: Jacobson, Proc. 30th Symp. Foundations of Computer Science,
//          549 (1989).
// Cost:    12 bytes for 64 particles, and 4 for each that turns; a lookup is two loads and a count.
// Hazards: who changes the order or the types of particles must make the map again.
// Others:  a number for each particle would cost four bytes, 4 % of the store.

#include "md/system/rotor_array.hpp"

namespace sterna::md {

void RotorPlaces::add(std::int64_t type) {
  if (known_ % together == 0) {
    bits_.push_back(0);
    before_.push_back(static_cast<std::uint32_t>(particles_.size()));
  }
  if (turns(type)) {
    bits_.back() |= std::uint64_t{1} << (known_ % together);
    particles_.push_back(static_cast<std::uint32_t>(known_));
  }
  ++known_;
}

void RotorPlaces::cut(std::size_t count) {
  if (count >= known_) return;
  known_ = count;
  bits_.resize((count + together - 1) / together);
  before_.resize(bits_.size());
  if (count % together != 0) bits_.back() &= (std::uint64_t{1} << (count % together)) - 1;
  while (!particles_.empty() && particles_.back() >= count) particles_.pop_back();
}

}  // namespace sterna::md
