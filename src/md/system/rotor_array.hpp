#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "md/system/aligned_buffer.hpp"

namespace sterna::md {

/// Which particles of a store turn, if only some types do. The particles that turn have numbers, in
/// the order of the store. A particle costs a bit and its share of a count for each 64 particles, so
/// the map of a store of atoms takes less than two thousandths of the store.
class RotorPlaces {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  /// `turns`: for each type, whether its particles turn.
  explicit RotorPlaces(std::vector<char> turns) : turns_(std::move(turns)) {}

  bool turns(std::int64_t type) const { return turns_[static_cast<std::size_t>(type)] != 0; }
  const std::vector<char>& types() const { return turns_; }
  /// The number of a particle among those that turn, or `none`.
  std::size_t number_of(std::size_t particle) const {
    const std::size_t word = particle / together, bit = particle % together;
    if (word >= bits_.size() || ((bits_[word] >> bit) & 1) == 0) return none;
    const std::uint64_t below = bits_[word] & ((std::uint64_t{1} << bit) - 1);
    return before_[word] + static_cast<std::size_t>(std::popcount(below));
  }
  /// The particles that turn, ascending.
  std::span<const std::uint32_t> particles() const { return particles_; }
  std::size_t count() const { return particles_.size(); }

  /// How many particles the map knows: the first ones of the store.
  std::size_t known() const { return known_; }
  /// Appends the next particle of the store.
  void add(std::int64_t type);
  /// Keeps the first particles of the store.
  void cut(std::size_t count);
  std::size_t bytes() const {
    return bits_.size() * sizeof(bits_[0]) + before_.size() * sizeof(before_[0]) +
           particles_.size() * sizeof(particles_[0]);
  }

 private:
  static constexpr std::size_t together = 64;

  std::vector<char> turns_;
  std::vector<std::uint64_t> bits_;    ///< one for each particle
  std::vector<std::uint32_t> before_;  ///< for each word, the particles before it that turn
  std::vector<std::uint32_t> particles_;
  std::size_t known_ = 0;
};

/// An array of the particles that turn, found by their places in the store. Of other particles all
/// items are T{}; what is written to them is lost.
template <class T>
class RotorArray {
 public:
  RotorArray() = default;
  RotorArray(RotorArray&& other) noexcept
      : items_(std::move(other.items_)), places_(std::exchange(other.places_, nullptr)) {}
  RotorArray& operator=(RotorArray&& other) noexcept {
    items_ = std::move(other.items_);
    places_ = std::exchange(other.places_, nullptr);
    return *this;
  }
  ~RotorArray() = default;

  /// Null: all particles turn.
  void set_places(const RotorPlaces* places) { places_ = places; }

  T& operator[](std::size_t particle) {
    if (places_ == nullptr) return items_[particle];
    const std::size_t number = places_->number_of(particle);
    if (number != RotorPlaces::none) return items_[number];
    nobody_ = T{};
    return nobody_;
  }
  const T& operator[](std::size_t particle) const {
    if (places_ == nullptr) return items_[particle];
    const std::size_t number = places_->number_of(particle);
    return number != RotorPlaces::none ? items_[number] : none_;
  }

  // The items themselves, by the numbers of the particles that turn:
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }
  std::size_t size() const { return items_.size(); }
  T* begin() { return items_.begin(); }
  T* end() { return items_.end(); }
  const T* begin() const { return items_.begin(); }
  const T* end() const { return items_.end(); }
  std::span<T> span() { return items_.span(); }
  std::span<const T> span() const { return items_.span(); }
  void resize(std::size_t size) { items_.resize(size); }
  void reserve(std::size_t capacity) { items_.reserve(capacity); }
  void swap(AlignedBuffer<T>& items) noexcept { items_.swap(items); }

 private:
  static constexpr T none_{};

  AlignedBuffer<T> items_;
  const RotorPlaces* places_ = nullptr;
  T nobody_{};
};

}  // namespace sterna::md
