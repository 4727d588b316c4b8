// Encoding of points of XTC frames, written once and compiled once for each instruction set.
// Rounding uses vectors; the rest are loops and bit operations, for which some instruction sets
// have better instructions.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "md/output/xtc_kernels.hpp"
#include "md/output/xtc_sizes.hpp"
#include "md/simd/vectors.hpp"

namespace sterna::md {
namespace {

/// The number of table entries that one frame uses, besides the first.
constexpr int entries_in_use = 8;
/// Coordinates of larger extents are not packed together.
constexpr std::int64_t largest_packed = 0xffffff;
constexpr std::size_t longest_run = 8;
constexpr int bits_of_run = 5;

/// A stream of bits, with the highest bit of a number first.
class BitStream {
 public:
  BitStream(std::vector<std::byte>& bytes, std::size_t expected_bytes) : bytes_(bytes) {
    if (bytes_.size() < expected_bytes + room) bytes_.resize(expected_bytes + room);
  }

  /// Makes room for the bits of any group of points.
  void make_room() {
    if (place_ + room > bytes_.size()) bytes_.resize(2 * bytes_.size());
  }

  void put(std::uint64_t value, int bits) {
    if (bits > 56) {
      put_few(value >> 32, bits - 32);
      value &= 0xffffffffU;
      bits = 32;
    }
    if (bits > 0) put_few(value, bits);
  }

  /// Writes a number of up to 72 bits, low + high * 2^32, in the order of the format: its whole
  /// bytes from the lowest on, then the remaining bits. A few `zeros` follow.
  void put_bytes(std::uint64_t low, std::uint64_t high, int bits, int zeros = 0) {
    const int whole = bits / 8 * 8;
    if (bits + zeros <= 56 && whole > 0) {
      const std::uint64_t value = low | high << 32;
      const std::uint64_t turned =
          (__builtin_bswap64(value) >> (64 - whole)) << (bits - whole) | value >> whole;
      put_few(turned << zeros, bits + zeros);
      return;
    }
    put_low_bytes(low | high << 32, std::min(bits, 64));
    if (bits > 64) put_low_bytes(high >> 32, bits - 64);
    put(0, zeros);
  }

  std::size_t bits() const { return 8 * place_ + static_cast<std::size_t>(held_); }

  std::span<const std::byte> written() const {
    return std::span(bytes_).first(place_ + (held_ > 0 ? 1 : 0));
  }

 private:
  static constexpr std::size_t room = 128;

  /// Writes at most 56 bits, because up to 7 bits are still held.
  void put_few(std::uint64_t value, int bits) {
    held_bits_ |= value << (64 - held_ - bits);
    held_ += bits;
    std::uint64_t bytes = held_bits_;
    if constexpr (std::endian::native == std::endian::little) bytes = __builtin_bswap64(bytes);
    std::memcpy(bytes_.data() + place_, &bytes, sizeof(bytes));
    const int whole = held_ / 8;
    place_ += static_cast<std::size_t>(whole);
    held_bits_ <<= 8 * whole;
    held_ %= 8;
  }

  void put_low_bytes(std::uint64_t value, int bits) {
    const int whole = bits / 8 * 8, rest = bits % 8;
    if (whole > 0) put(__builtin_bswap64(value) >> (64 - whole), whole);
    if (rest > 0) put(value >> whole, rest);
  }

  std::vector<std::byte>& bytes_;
  std::size_t place_ = 0;
  std::uint64_t held_bits_ = 0;  ///< bits not written yet, from the highest on
  int held_ = 0;
};

/// (a * b + c) as low + high * 2^32, for a below 2^48 and b, c below 2^24.
struct Product {
  std::uint64_t low, high;
  Product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const std::uint64_t below = (a & 0xffffffffU) * b + c;
    low = below & 0xffffffffU;
    high = (a >> 32) * b + (below >> 32);
  }
};

/// The number of bits that the number needs.
int bit_width(std::uint64_t number) {
  return static_cast<int>(std::bit_width(number));
}

/// Whether all coordinates differ by less than `distance`.
bool are_near(const XtcPoint& a, const XtcPoint& b, std::int32_t distance) {
  // An unsigned comparison tests both signs, and `&` avoids branches.
  const auto farthest = static_cast<std::uint32_t>(distance - 1);
  const auto is_near = [&](std::size_t axis) {
    return static_cast<std::uint32_t>(a[axis]) - static_cast<std::uint32_t>(b[axis]) + farthest <=
           2 * farthest;
  };
  return static_cast<int>(is_near(0)) & static_cast<int>(is_near(1)) & static_cast<int>(is_near(2));
}

std::int64_t distance_squared(const XtcPoint& a, const XtcPoint& b) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t d = a[axis] - b[axis];
    sum += d * d;
  }
  return sum;
}

class Encoder {
 public:
  Encoder(const XtcRange& range, std::size_t points, std::vector<std::byte>& room)
      : range_(range), first_(range.first_size()), entry_(first_), stream_(room, 6 * points) {
    largest_ = std::min(last_xtc_entry, first_ + entries_in_use);
    smallest_ = largest_ - entries_in_use;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto extent = static_cast<std::uint64_t>(range.most[axis] - range.least[axis] + 1);
      extent_[axis] = extent;
      bits_of_axis_[axis] = bit_width(extent);
      is_packed_ &= extent <= static_cast<std::uint64_t>(largest_packed);
    }
    if (is_packed_) {
      const Product all(extent_[0] * extent_[1], extent_[2], 0);
      const int high = bit_width(all.high);
      bits_of_point_ = high > 0 ? 32 + high : bit_width(all.low);
    } else {
      bits_of_point_ = bits_of_axis_[0] + bits_of_axis_[1] + bits_of_axis_[2];
    }
  }

  void encode(std::span<XtcPoint> points) {
    std::size_t i = 0;
    while (i < points.size()) i = put_group(points, i);
  }

  /// Writes single points that bring the encoder back to its first state and end with a whole byte.
  void close(std::span<const XtcPoint> points) {
    std::size_t i = 0;
    for (; entry_ != first_; ++i) put_single(points[i], entry_ < first_ ? 1 : -1);
    put_single(points[i++], 0);
    // From here on the run stays 0. A point needs one bit to say so, or six; enough points with six
    // make whole bytes.
    const std::size_t left = points.size() - i;
    const std::size_t bits = stream_.bits() + left * (static_cast<std::size_t>(bits_of_point_) + 1);
    const std::size_t long_flags = 5 * (8 - bits % 8) % 8;
    for (std::size_t n = 0; n < left; ++n) {
      if (n < long_flags) run_ = unknown;
      put_single(points[i + n], 0);
    }
  }

  std::span<const std::byte> written() const { return stream_.written(); }

 private:
  static constexpr std::size_t unknown = longest_run + 1;

  void put_point(const XtcPoint& point, int zeros) {
    std::array<std::uint64_t, 3> from_least;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from_least[axis] = static_cast<std::uint64_t>(point[axis] - range_.least[axis]);
    }
    if (is_packed_) {
      const Product packed(from_least[0] * extent_[1] + from_least[1], extent_[2], from_least[2]);
      stream_.put_bytes(packed.low, packed.high, bits_of_point_, zeros);
    } else {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        stream_.put(from_least[axis], bits_of_axis_[axis]);
      }
      stream_.put(0, zeros);
    }
  }

  void put_distance(const XtcPoint& from, const XtcPoint& to) {
    const auto size = static_cast<std::uint64_t>(xtc_sizes[static_cast<std::size_t>(entry_)]);
    const std::int32_t half = small();
    const auto shifted = [&](std::size_t axis) {
      return static_cast<std::uint64_t>(to[axis] - from[axis] + half);
    };
    const Product packed(shifted(0) * size + shifted(1), size, shifted(2));
    stream_.put_bytes(packed.low, packed.high, entry_);
  }

  /// Writes the first point of a group and whether the run length or the size of distances changes;
  /// a zero bit if neither does.
  void put_begin(const XtcPoint& point, std::size_t run, int change) {
    const bool same = run == run_ && change == 0;
    put_point(point, same ? 1 : 0);
    if (same) return;
    run_ = run;
    stream_.put(std::uint64_t{1} << bits_of_run | (3 * run + static_cast<std::size_t>(change + 1)),
                1 + bits_of_run);
  }

  std::int32_t small() const { return xtc_sizes[static_cast<std::size_t>(entry_)] / 2; }

  void put_single(const XtcPoint& point, int change) {
    stream_.make_room();
    put_begin(point, 0, change);
    entry_ += change;
  }

  /// Writes point `i` and the run of close points behind it; returns the index after them.
  std::size_t put_group(std::span<XtcPoint> points, std::size_t i) {
    stream_.make_room();
    const std::int32_t near = small();
    const std::int32_t larger = xtc_sizes[static_cast<std::size_t>(largest_)] / 2;
    int change = 0;
    if (entry_ < largest_ && i > 0 && are_near(points[i], points[i - 1], larger)) {
      change = 1;
    } else if (entry_ > smallest_) {
      change = -1;
    }
    std::size_t run = 0;
    if (i + 1 < points.size() && are_near(points[i], points[i + 1], near)) {
      // The second point is written first, as the decoder expects. In water the oxygen atom comes
      // first in memory, and both hydrogen atoms are close to it.
      std::swap(points[i], points[i + 1]);
      do {
        ++run;
      } while (run < longest_run && i + run + 1 < points.size() &&
               are_near(points[i + run], points[i + run + 1], near));
    }
    if (change < 0) {
      const std::int64_t smaller = xtc_sizes[static_cast<std::size_t>(entry_ - 1)] / 2;
      for (std::size_t n = 0; n < run && change != 0; ++n) {
        if (distance_squared(points[i + n], points[i + n + 1]) >= smaller * smaller) change = 0;
      }
      if (run == 0) change = 0;
    }
    put_begin(points[i], run, change);
    for (std::size_t n = 0; n < run; ++n) put_distance(points[i + n], points[i + n + 1]);
    entry_ += change;
    return i + run + 1;
  }

  const XtcRange& range_;
  int first_, entry_, smallest_, largest_;
  std::size_t run_ = unknown;
  std::array<std::uint64_t, 3> extent_;
  std::array<int, 3> bits_of_axis_;
  bool is_packed_ = true;
  int bits_of_point_;
  BitStream stream_;
};

std::span<const std::byte> encode(std::span<XtcPoint> points, const XtcRange& range, bool is_last,
                                  std::vector<std::byte>& room) {
  Encoder encoder(range, points.size(), room);
  const std::size_t rest = is_last ? 0 : least_xtc_part;
  encoder.encode(points.first(points.size() - rest));
  if (!is_last) encoder.close(points.last(rest));
  return encoder.written();
}

/// The range is computed axis by axis in vectors, on few points at a time, which stay in the
/// nearest cache.
void add(std::span<const XtcPoint> points, XtcRange& range) {
  if (points.empty()) return;
  using Numbers = Vector<std::int32_t>;
  constexpr std::size_t width = static_cast<std::size_t>(lanes<std::int32_t>);
  constexpr std::size_t together = 512;
  // A coordinate farther away than all sizes.
  constexpr std::int32_t far = std::int32_t{1} << 28U;
  alignas(64) std::int32_t at[3][together + width];
  const auto smaller = [](Numbers a, Numbers b) { return a < b ? a : b; };
  const auto larger = [](Numbers a, Numbers b) { return a > b ? a : b; };
  const XtcPoint& front = points.front();
  const Numbers none{};
  const Numbers farthest = none + far;
  Numbers low[3], high[3], least = 3 * farthest;
  for (std::size_t axis = 0; axis < 3; ++axis) low[axis] = high[axis] = none + front[axis];
  for (std::size_t begin = 0; begin < points.size(); begin += together) {
    // The copy includes the next points, to which the distance is needed.
    const std::size_t count = std::min(together, points.size() - begin);
    const std::size_t known = std::min(together + width, points.size() - begin);
    for (std::size_t i = 0; i < known; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) at[axis][i] = points[begin + i][axis];
    }
    const std::size_t whole = (count - (known == count ? 1 : 0)) / width * width;
    for (std::size_t i = 0; i < whole; i += width) {
      Numbers sum{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Numbers here = load(at[axis] + i);
        const auto next = load_unaligned<Numbers>(at[axis] + i + 1);
        low[axis] = smaller(low[axis], here);
        high[axis] = larger(high[axis], here);
        // The distance is negative if it exceeds 31 bits.
        const Numbers distance = larger(here, next) - smaller(here, next);
        sum += ((distance >= none) & (distance < farthest)) ? distance : farthest;
      }
      least = smaller(least, sum);
    }
    for (std::size_t i = whole; i < count; ++i) {
      std::int32_t sum = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int32_t here = at[axis][i];
        low[axis][0] = std::min<std::int32_t>(low[axis][0], here);
        high[axis][0] = std::max<std::int32_t>(high[axis][0], here);
        const std::int64_t next = i + 1 < known ? at[axis][i + 1] : here + std::int64_t{far};
        sum += static_cast<std::int32_t>(std::min<std::int64_t>(far, std::abs(next - here)));
      }
      least[0] = std::min<std::int32_t>(least[0], sum);
    }
  }
  for (std::size_t lane = 0; lane < width; ++lane) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      range.least[axis] = std::min<std::int64_t>(range.least[axis], low[axis][lane]);
      range.most[axis] = std::max<std::int64_t>(range.most[axis], high[axis][lane]);
    }
    range.least_distance = std::min<std::int64_t>(range.least_distance, least[lane]);
  }
}

std::size_t round(std::span<const Position> positions, double precision, const Vec3& edges,
                  std::byte* items, std::size_t stride) {
  // A position is three numbers and the bits of a type. As numbers these bits would be denormal,
  // which slows arithmetic on Intel processors, so they are masked.
  constexpr std::size_t numbers = 4, width = static_cast<std::size_t>(lanes<double>);
  static_assert(sizeof(Position) == numbers * sizeof(double));
  constexpr std::size_t at_once = std::max<std::size_t>(width / numbers, 1);
  constexpr std::size_t vectors = at_once * numbers / width;
  constexpr double limit = static_cast<double>(XtcRange::largest_extent);
  using Numbers = Vector<double>;
  typedef std::int32_t Words __attribute__((vector_size(4 * lanes<double>)));
  alignas(64) double edge[at_once * numbers];
  alignas(64) std::int64_t kept[at_once * numbers];
  for (std::size_t k = 0; k < at_once * numbers; ++k) {
    const bool is_type = k % numbers == 3;
    edge[k] = is_type ? HUGE_VAL : edges[static_cast<int>(k % numbers)];
    kept[k] = is_type ? 0 : -1;
  }
  const double* from = reinterpret_cast<const double*>(positions.data());
  std::size_t i = 0;
  for (; i + at_once <= positions.size(); i += at_once) {
    alignas(64) std::int32_t words[at_once * numbers];
    Bits<double> outside{};
    for (std::size_t v = 0; v < vectors; ++v) {
      Bits<double> bits, mask;
      std::memcpy(&bits, from + numbers * i + width * v, sizeof(bits));
      std::memcpy(&mask, kept + width * v, sizeof(mask));
      const auto x = reinterpret_cast<Numbers>(bits & mask);
      const Numbers scaled = x * precision;
      // The negation also catches NaN.
      outside |= ~((x >= 0.0) & (x < load(edge + width * v)) & (scaled < limit));
      const Words rounded = __builtin_convertvector(scaled + 0.5, Words);
      std::memcpy(words + width * v, &rounded, sizeof(rounded));
    }
    if (any(outside)) break;
    for (std::size_t k = 0; k < at_once; ++k) {
      std::memcpy(items + (i + k) * stride, words + numbers * k, numbers * sizeof(words[0]));
    }
  }
  // Points are handled one at a time if they do not fill a vector, or if one in the vector is
  // outside.
  for (; i < positions.size(); ++i) {
    const Position& p = positions[i];
    const double x = p.x * precision, y = p.y * precision, z = p.z * precision;
    if (!(p.x >= 0.0 && p.x < edges.x && x < limit && p.y >= 0.0 && p.y < edges.y && y < limit &&
          p.z >= 0.0 && p.z < edges.z && z < limit)) {
      break;
    }
    const XtcPoint point{static_cast<std::int32_t>(x + 0.5), static_cast<std::int32_t>(y + 0.5),
                         static_cast<std::int32_t>(z + 0.5)};
    std::memcpy(items + i * stride, point.data(), sizeof(point));
  }
  return i;
}

const XtcKernels kernels{STERNA_KERNEL_NAME, round, add, encode};

}  // namespace
}  // namespace sterna::md
