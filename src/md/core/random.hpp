#pragma once

#include <array>
#include <cstdint>

namespace sterna::md {

/// Philox4x32 with ten rounds: a bijection of the counter for every key, whose outputs at
/// successive counters pass as random (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", SC11).
std::array<std::uint32_t, 4> philox4x32_10(const std::array<std::uint32_t, 4>& counter,
                                           const std::array<std::uint32_t, 2>& key);

/// The purpose of random numbers. Streams of different purposes are independent even with equal
/// seeds. Results for a given seed depend on the values, so never reuse or renumber them.
enum class RandomPurpose : std::uint32_t {
  velocity = 1,          ///< Maxwell-Boltzmann velocities at the start; id: particle
  thermostat = 2,        ///< id: of the particle; for a whole group 0 or above 2^47
  type = 3,              ///< which particles get which type at the start
  vacancy = 4,           ///< which sites stay empty at the start
  displacement = 5,      ///< displacement from the site at the start; id: particle
  orientation = 6,       ///< of rotating particles, at the start; id: particle
  angular_momentum = 7,  ///< of rotating particles, at the start; id: particle
  barostat = 8,          ///< changes of the volume; id: 0
  insertion = 9,         ///< test molecules; id: kind times 2^32 plus their number
  exchange = 10,         ///< exchanges of states between replicas; id: the lower state of a pair
  reservoir = 11,        ///< molecules that come and go; id: reservoir times 2^32 plus the trial
  rotation_noise = 12,   ///< thermostats of rotation alone; id: of the particle
};

class RandomSequence;

/// Random numbers as a pure function of (seed, purpose, id, step, index). Nothing is stored, and no
/// number depends on the rank that asks or on the order of the calls.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, RandomPurpose purpose);

  /// 128 random bits. `id` and `step` must be below 2^48.
  std::array<std::uint32_t, 4> block(std::uint64_t id, std::uint64_t step,
                                     std::uint32_t index) const;
  /// The numbers that belong to one particle at one step, one after the other.
  RandomSequence sequence(std::uint64_t id, std::uint64_t step) const;

 private:
  std::array<std::uint32_t, 2> key_;
};

/// The numbers of one (seed, purpose, id, step), in order. The n-th call gives the same number,
/// whatever other sequences do.
class RandomSequence {
 public:
  RandomSequence(const RandomStream& stream, std::uint64_t id, std::uint64_t step)
      : stream_(stream), id_(id), step_(step) {}

  /// 64 random bits.
  std::uint64_t bits();
  /// Uniform in the open interval (0, 1): an odd multiple of 2^-53.
  double uniform();
  /// Uniform in 0 ... bound - 1; `bound` > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Normal deviate of mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 610, 1958).
  double normal();
  /// Gamma deviate of scale 1 and `shape` > 0 (Marsaglia and Tsang, ACM Trans. Math. Softw. 26,
  /// 363, 2000).
  double gamma(double shape);
  /// Sum of the squares of `degrees` independent normal deviates; 0 if `degrees` is 0.
  double chi_squared(double degrees);

 private:
  RandomStream stream_;
  std::uint64_t id_;
  std::uint64_t step_;
  std::uint32_t next_index_ = 0;
  std::uint64_t spare_bits_ = 0;
  bool has_spare_bits_ = false;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace sterna::md
