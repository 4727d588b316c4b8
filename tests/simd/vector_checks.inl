// The checks of test_vectors.cpp, compiled once for each instruction set. Nothing here has a name
// that other files share, such as a template of the standard library: the linker might keep the
// instructions of this file for all.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "md/simd/arc_tangent.hpp"
#include "md/simd/elementary.hpp"
#include "md/simd/transpose.hpp"
#include "md/simd/vectors.hpp"
#include "simd/vector_checks.hpp"

namespace sterna::md {
namespace {

constexpr int trials = 50;

/// The baseline has none that every processor knows.
constexpr bool has_fused_operations = STERNA_KERNEL_NAME[0] != 'b';
/// SVE refines quotients from estimates, others divide.
constexpr double quotient_error = STERNA_KERNEL_NAME[0] == 's' ? 1.0 : 0.0;

/// Numbers from -1 to 1.
class Numbers {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state_) >> 11) / 4503599627370496.0;
  }
  std::uint32_t below(std::uint32_t limit) {
    const double number = 0.5 * ((*this)() + 1.0) * limit;
    return static_cast<std::uint32_t>(number) < limit ? static_cast<std::uint32_t>(number)
                                                      : limit - 1;
  }

 private:
  std::uint64_t state_ = 20261125;
};

template <class Real>
constexpr double rounding = static_cast<double>(std::numeric_limits<Real>::epsilon());

/// As many numbers as the widest vector has, by a function of their place.
template <class T, class Function>
void fill(T (&values)[16], Function&& function) {
  for (T& value : values) value = static_cast<T>(function());
}

template <class T>
Vector<T> vector_of(const T (&values)[16]) {
  return load_unaligned<Vector<T>>(values);
}

template <class Real, class Function>
void check_vector(ReportNumber report, const char* what, Vector<Real> value,
                  const Function& expected, double tolerance) {
  for (int k = 0; k < lanes<Real>; ++k) {
    report(what, k, static_cast<double>(value[k]), static_cast<double>(expected(k)), tolerance);
  }
}

template <class Real>
void check_memory(ReportNumber report, Numbers& numbers) {
  alignas(64) Real values[16], stored[17];
  alignas(64) std::uint32_t places[16];
  alignas(64) Real table[100];
  fill(values, numbers);
  for (Real& number : table) number = static_cast<Real>(numbers());
  fill(places, [&] { return numbers.below(100); });
  const auto value = [&](int k) { return values[k]; };
  check_vector<Real>(report, "load", load(values), value, 0.0);
  check_vector<Real>(report, "load_unaligned", load_unaligned<Vector<Real>>(values), value, 0.0);
  store_unaligned(stored + 1, load(values));
  for (int k = 0; k < lanes<Real>; ++k) {
    report("store_unaligned", k, static_cast<double>(stored[k + 1]), static_cast<double>(values[k]),
           0.0);
  }
  check_vector<Real>(
      report, "all", all<Real>(0.3), [](int) { return static_cast<Real>(0.3); }, 0.0);
  check_vector<Real>(
      report, "gather", gather(table, places), [&](int k) { return table[places[k]]; }, 0.0);
}

template <class Real>
void check_arithmetic(ReportNumber report, Numbers& numbers) {
  using V = Vector<Real>;
  Real a[16], b[16];
  fill(a, numbers);
  fill(b, [&] { return ::exp(20.0 * numbers()); });
  const V x = vector_of(a), y = vector_of(b);
  const double unit = rounding<Real>;
  check_vector<Real>(
      report, "square_root of a quotient", square_root(y) / square_root(y), [](int) { return 1.0; },
      0.0);
  for (int k = 0; k < lanes<Real>; ++k) {
    const double number = static_cast<double>(b[k]);
    const double root = ::sqrt(number);
    report("square_root", k, static_cast<double>(square_root(y)[k]), root, unit * root);
    report("inverse", k, static_cast<double>(inverse(y)[k]), 1.0 / number, unit / number);
    report("inverse_root", k, static_cast<double>(inverse_root(y)[k]), 1.0 / root,
           4.0 * unit / root);
    const double cubed = 2.0 / (3.0 * number * root);
    report("two_thirds_of_inverse_root_cubed", k,
           static_cast<double>(two_thirds_of_inverse_root_cubed(y)[k]), cubed, 12.0 * unit * cubed);
  }
  const V other = -x + V{} + Real(0.1);
  check_vector<Real>(
      report, "smaller", smaller(x, other),
      [&](int k) { return x[k] < other[k] ? x[k] : other[k]; }, 0.0);
  check_vector<Real>(
      report, "larger", larger(x, other), [&](int k) { return x[k] > other[k] ? x[k] : other[k]; },
      0.0);
  const Bits<Real> mask = x < other;
  bool some = false;
  for (int k = 0; k < lanes<Real>; ++k) some = some || x[k] < other[k];
  report("any", 0, any(mask) ? 1.0 : 0.0, some ? 1.0 : 0.0, 0.0);
  report("any of none", 0, any(Bits<Real>{}) ? 1.0 : 0.0, 0.0, 0.0);
  for (int k = 0; k < lanes<Real>; ++k) {
    Bits<Real> one{};
    one[k] = -1;
    report("any of one", k, any(one) ? 1.0 : 0.0, 1.0, 0.0);
  }
  double total = 0.0;
  for (int k = 0; k < lanes<Real>; ++k) total += static_cast<double>(a[k]);
  report("sum", 0, sum<Real>(x), total, 0.0);
}

template <class Real>
void check_functions(ReportNumber report, Numbers& numbers) {
  constexpr double unit = rounding<Real>;
  constexpr double range = sizeof(Real) == 8 ? 700.0 : 87.0;
  constexpr double quarter_pi = 0.78539816339744830962;
  Real small[16], exponent[16], beyond[16], positive[16], whole[16], y[16], x[16];
  fill(exponent, [&] { return 0.99 * range * numbers(); });
  fill(beyond, [&] { return 3.0 * range * numbers(); });
  fill(positive, [&] { return ::exp(80.0 * numbers()); });
  fill(small, [&] { return 0.999 * quarter_pi * numbers(); });
  fill(whole, [&] { return 1000.0 * (1.0 + numbers()); });
  fill(y, numbers);
  fill(x, numbers);
  Vector<Real> sine, cosine;
  sine_and_cosine_of_double(vector_of(small), sine, cosine);
  const auto places_of_whole = places(whole_part(vector_of(whole)));
  for (int k = 0; k < lanes<Real>; ++k) {
    const auto number = [k](const Real(&values)[16]) { return static_cast<double>(values[k]); };
    const auto lane = [k](Vector<Real> values) { return static_cast<double>(values[k]); };
    const double power = ::exp(number(exponent));
    report("exponential", k, lane(exponential(vector_of(exponent))), power, 3.0 * unit * power);
    const double bounded = ::exp(::fmax(::fmin(number(beyond), range), -range));
    report("bounded_exponential", k, lane(bounded_exponential(vector_of(beyond))), bounded,
           3.0 * unit * bounded);
    const double log = ::log(number(positive));
    report("logarithm", k, lane(logarithm(vector_of(positive))), log, 2.0 * unit * ::fabs(log));
    report("sine", k, lane(sine), ::sin(2.0 * number(small)), 4.0 * unit);
    report("cosine", k, lane(cosine), ::cos(2.0 * number(small)), 4.0 * unit);
    const double angle = ::atan2(number(y), number(x));
    report("arc_tangent", k, lane(arc_tangent<Real>(vector_of(y), vector_of(x))), angle,
           4.0 * unit * ::fabs(angle));
    report("whole_part", k, lane(whole_part(vector_of(whole))), ::floor(number(whole)), 0.0);
    report("places", k, static_cast<double>(places_of_whole.at[k]), ::floor(number(whole)), 0.0);
  }
}

/// Four numbers of each lane, read as four vectors and written back in another order.
template <class Real>
void check_transpose(ReportNumber report, Numbers& numbers) {
  Rows<Real> rows, back;
  for (auto& row : rows.of) {
    for (Real& number : row) number = static_cast<Real>(numbers());
  }
  Vector<Real> columns[4];
  load(rows, columns[0], columns[1], columns[2], columns[3]);
  store(columns[1], columns[2], columns[3], columns[0], back);
  for (int c = 0; c < 4; ++c) {
    check_vector<Real>(
        report, "load of rows", columns[c], [&](int k) { return rows.of[k][c]; }, 0.0);
    for (int k = 0; k < lanes<Real>; ++k) {
      report("store to rows", k, static_cast<double>(back.of[k][c]),
             static_cast<double>(rows.of[k][(c + 1) % 4]), 0.0);
    }
  }
}

template <class Real>
void check_vectors(ReportNumber report) {
  Numbers numbers;
  for (int trial = 0; trial < trials; ++trial) {
    check_memory<Real>(report, numbers);
    check_transpose<Real>(report, numbers);
    check_arithmetic<Real>(report, numbers);
    check_functions<Real>(report, numbers);
  }
}

// Packs.

template <class Pack>
struct Stored {
  alignas(64) typename Pack::Real at[16];
};
template <class Pack>
Stored<Pack> stored(const Pack& pack) {
  Stored<Pack> result;
  pack.store(result.at);
  return result;
}

template <class Pack, class Function>
void check_pack(ReportNumber report, const char* what, const Pack& value, const Function& expected,
                double tolerance = 0.0) {
  const Stored<Pack> all = stored(value);
  for (int k = 0; k < Pack::width; ++k) {
    report(what, k, static_cast<double>(all.at[k]), static_cast<double>(expected(k)), tolerance);
  }
}

template <class Pack>
void check_pack_arithmetic(ReportNumber report, Numbers& numbers) {
  using Real = typename Pack::Real;
  alignas(64) Real a[16], b[16], c[16];
  fill(a, numbers);
  fill(b, numbers);
  fill(c, numbers);
  const Pack x = Pack::load(a), y = Pack::load(b), z = Pack::load(c);
  check_pack(report, "load and store", x, [&](int k) { return a[k]; });
  check_pack(report, "zero", Pack::zero(), [](int) { return 0.0; });
  check_pack(report, "all", Pack::all(0.3), [](int) { return static_cast<Real>(0.3); });
  check_pack(report, "+", x + y, [&](int k) { return a[k] + b[k]; });
  check_pack(report, "-", x - y, [&](int k) { return a[k] - b[k]; });
  check_pack(report, "*", x * y, [&](int k) { return a[k] * b[k]; });
  // Rounded once where there is an instruction for that.
  const auto fused = [](Real p, Real q, Real r) -> Real {
    if constexpr (!has_fused_operations) {
      return p * q + r;
    } else if constexpr (sizeof(Real) == sizeof(double)) {
      return ::fma(p, q, r);
    } else {
      return ::fmaf(p, q, r);
    }
  };
  check_pack(report, "fma", Pack::fma(x, y, z), [&](int k) { return fused(a[k], b[k], c[k]); });
  check_pack(report, "fnma", Pack::fnma(x, y, z), [&](int k) { return fused(-a[k], b[k], c[k]); });
  check_pack(report, "sqrt", Pack::sqrt(x * x),
             [&](int k) { return ::fabs(static_cast<double>(a[k])); });
  Pack copy = x;
  for (int k = 0; k < registers<Pack>; ++k) part(copy, k) = part(copy, k) + Real(1);
  check_pack(report, "part", copy, [&](int k) { return a[k] + Real(1); });

  double total = 0.0;
  for (int k = 0; k < Pack::width; ++k) total += static_cast<double>(a[k]);
  const double tolerance = 16.0 * rounding<Real>;
  report("sum", 0, x.sum(), total, tolerance);
  const auto check_sums = [&]<int count>() {
    const Pack all[4] = {x, y, z, x + y};
    Pack some[count];
    double sums[count];
    for (int v = 0; v < count; ++v) some[v] = all[v];
    Pack::sums(some, sums);
    for (int v = 0; v < count; ++v) {
      const Stored<Pack> values = stored(some[v]);
      double expected = 0.0;
      for (int k = 0; k < Pack::width; ++k) expected += static_cast<double>(values.at[k]);
      report("sums", v, sums[v], expected, 2.0 * tolerance);
    }
  };
  check_sums.template operator()<1>();
  check_sums.template operator()<2>();
  check_sums.template operator()<3>();
  check_sums.template operator()<4>();
}

template <class Pack>
void check_masks(ReportNumber report, Numbers& numbers) {
  using Real = typename Pack::Real;
  constexpr double unit = rounding<Real>;
  alignas(64) Real a[16], b[16], positive[16], scale[16];
  fill(a, numbers);
  fill(b, numbers);
  fill(positive, [&] { return ::exp(10.0 * numbers()); });
  fill(scale, numbers);
  const unsigned wanted = numbers.below(1u << Pack::width);
  const int lane = static_cast<int>(numbers.below(static_cast<std::uint32_t>(Pack::width)));
  // What stands in lanes that do not count does not matter.
  for (int k = 0; k < Pack::width; ++k) {
    if (!(a[k] < b[k]) && (wanted >> k & 1) != 0) positive[k] = Real(0);
  }
  const Pack x = Pack::load(a), y = Pack::load(b), p = Pack::load(positive);
  const typename Pack::Mask mask = x < y;
  unsigned expected = 0;
  for (int k = 0; k < Pack::width; ++k) expected |= a[k] < b[k] ? 1u << k : 0u;
  const auto set = [&](int k) { return (expected >> k & 1) != 0; };
  report("bits of <", 0, Pack::bits(mask), expected, 0.0);
  report("without", lane, Pack::bits(Pack::without(mask, lane)), expected & ~(1u << lane), 0.0);
  report("keep", 0, Pack::bits(Pack::keep(mask, wanted)), expected & wanted, 0.0);
  check_pack(report, "select", Pack::select(mask, p),
             [&](int k) { return set(k) ? positive[k] : Real(0); });
  check_pack(report, "blend", Pack::blend(mask, x, p),
             [&](int k) { return set(k) ? a[k] : positive[k]; });
  const auto inverses = stored(Pack::inverse(mask, p, Pack::all(1.0)));
  const auto roots = stored(Pack::inverse_sqrt(mask, p));
  for (int k = 0; k < Pack::width; ++k) {
    const double inverse = set(k) ? 1.0 / static_cast<double>(positive[k]) : 0.0;
    const double root = ::sqrt(inverse);
    report("inverse", k, static_cast<double>(inverses.at[k]), inverse, unit * inverse);
    report("inverse_sqrt", k, static_cast<double>(roots.at[k]), root, 2.0 * unit * root);
  }
  if constexpr (sizeof(Real) == sizeof(float)) {
    const auto quotients = stored(Pack::inverse(mask, p, Pack::load(scale)));
    for (int k = 0; k < Pack::width; ++k) {
      const Real quotient = set(k) ? scale[k] / positive[k] : Real(0);
      report("scaled inverse", k, static_cast<double>(quotients.at[k]),
             static_cast<double>(quotient),
             quotient_error * unit * ::fabs(static_cast<double>(quotient)));
    }
    check_pack(report, "min", Pack::min(x, y), [&](int k) { return set(k) ? a[k] : b[k]; });
    check_pack(report, "max", Pack::max(x, y), [&](int k) { return set(k) ? b[k] : a[k]; });
  }
}

/// Records of four numbers, of which the last is an index: of doubles and 64-bit integers, or of
/// 32-bit integers.
struct DoubleRecord {
  double x, y, z;
  std::int64_t index;
};
struct alignas(16) IntegerRecord {
  std::int32_t x, y, z, index;
};

constexpr std::uint32_t record_count = 64;

template <class Pack>
void check_records(ReportNumber report, Numbers& numbers) {
  using Real = typename Pack::Real;
  constexpr bool in_double = sizeof(Real) == sizeof(double);
  alignas(64) Real four[record_count][4];
  for (auto& record : four) {
    for (Real& number : record) number = static_cast<Real>(numbers());
  }
  std::uint32_t which[16], at[16];
  fill(which, [&] { return numbers.below(record_count); });
  for (int k = 0; k < 16; ++k) at[k] = 4 * which[k];
  Pack loaded[4];
  Pack::load_four(four[0], at, loaded);
  for (int c = 0; c < 4; ++c) {
    check_pack(report, "load_four", loaded[c], [&](int k) { return four[which[k]][c]; });
  }

  // Tables that a register holds, and larger ones.
  for (const int count : {1, 3, Pack::width, 40}) {
    Real table[40];
    for (Real& number : table) number = static_cast<Real>(numbers());
    const auto index = [&] { return numbers.below(static_cast<std::uint32_t>(count)); };
    typename Pack::Indices indices;
    if constexpr (in_double) {
      alignas(64) DoubleRecord records[record_count];
      for (DoubleRecord& record : records) record = {numbers(), numbers(), numbers(), index()};
      Pack x, y, z;
      Pack::load_records(&records->x, at, x, y, z, indices);
      check_pack(report, "load_records, x", x, [&](int k) { return records[which[k]].x; });
      check_pack(report, "load_records, y", y, [&](int k) { return records[which[k]].y; });
      check_pack(report, "load_records, z", z, [&](int k) { return records[which[k]].z; });
      check_pack(report, "lookup", Pack::lookup(table, count, indices),
                 [&](int k) { return table[records[which[k]].index]; });
    } else {
      IntegerRecord records[record_count];
      const auto integer = [&] { return static_cast<std::int32_t>(1e9 * numbers()); };
      for (IntegerRecord& record : records) {
        record = {integer(), integer(), integer(), static_cast<std::int32_t>(index())};
      }
      for (int k = 0; k < 16; ++k) at[k] = 2 * which[k];
      typename Pack::Integers coordinates[3];
      Pack::load_records(&records->x, at, coordinates[0], coordinates[1], coordinates[2], indices);
      const std::int32_t center = records[0].x;
      for (int c = 0; c < 3; ++c) {
        check_pack(report, "difference",
                   Pack::difference(Pack::all_integers(center), coordinates[c]),
                   [&](int k) { return static_cast<float>(center - (&records[which[k]].x)[c]); });
      }
      check_pack(report, "lookup", Pack::lookup(table, count, indices),
                 [&](int k) { return table[records[which[k]].index]; });
    }
  }
  if constexpr (!in_double) {
    // Offsets of different records, in a row of the list as well.
    alignas(64) Real before[record_count][4], change[3][16];
    for (std::uint32_t r = 0; r < record_count; ++r) {
      for (int c = 0; c < 4; ++c) before[r][c] = four[r][c];
    }
    for (auto& component : change) fill(component, numbers);
    for (std::uint32_t k = 0; k < 16; ++k) at[k] = 2 * ((7 * k + which[0]) % record_count);
    Pack::subtract_from_records(four[0], at, Pack::load(change[0]), Pack::load(change[1]),
                                Pack::load(change[2]));
    for (int k = 0; k < Pack::width; ++k) {
      for (int c = 0; c < 3; ++c) before[at[k] / 2][c] -= change[c][k];
    }
    for (std::uint32_t r = 0; r < record_count; ++r) {
      for (int c = 0; c < 4; ++c) {
        report("subtract_from_records", static_cast<int>(r), static_cast<double>(four[r][c]),
               static_cast<double>(before[r][c]), 0.0);
      }
    }
  }
}

/// Entries of lists whose bits are set, one behind the other.
template <class Entry, class Append>
void check_append(ReportNumber report, Numbers& numbers, const char* what, int width,
                  const Append& append_entries) {
  Entry entries[16], out[64];
  fill(entries, [&] { return numbers.below(60000); });
  const unsigned mask = numbers.below(1u << width);
  const Entry* const end = append_entries(out, mask, entries);
  int count = 0;
  for (int k = 0; k < width; ++k) {
    if ((mask >> k & 1) != 0) report(what, k, out[count++], entries[k], 0.0);
  }
  report(what, -1, static_cast<double>(end - out), count, 0.0);
}

void check_lists(ReportNumber report, Numbers& numbers) {
  check_append<std::uint16_t>(
      report, numbers, "append, 16 bits", FloatPack::width,
      [](auto* out, unsigned mask, const auto* entries) { return append(out, mask, entries); });
  check_append<std::uint32_t>(
      report, numbers, "append, 32 bits", FloatPack::width,
      [](auto* out, unsigned mask, const auto* entries) { return append(out, mask, entries); });
  check_append<std::uint32_t>(report, numbers, "append_selected", DoublePack::width,
                              [](auto* out, unsigned mask, const auto* entries) {
                                return append_selected(out, mask, entries);
                              });
  std::uint32_t table[32];
  for (std::uint32_t& number : table) number = numbers.below(100000);
  alignas(64) std::uint16_t entries[48];
  for (std::uint16_t& entry : entries) entry = static_cast<std::uint16_t>(numbers.below(1u << 16));
  alignas(64) std::uint32_t decoded[48];
  const std::size_t count = 1 + numbers.below(32);
  EntryDecoder<11, 2>{table}(entries, count, decoded);
  for (std::size_t k = 0; k < count; ++k) {
    report("EntryDecoder", static_cast<int>(k), decoded[k],
           4 * (table[entries[k] >> 11] + (entries[k] & 2047u)), 0.0);
  }
}

template <class Pack>
void check_packs(ReportNumber report) {
  Numbers numbers;
  for (int trial = 0; trial < trials; ++trial) {
    check_pack_arithmetic<Pack>(report, numbers);
    check_masks<Pack>(report, numbers);
    check_records<Pack>(report, numbers);
    if constexpr (sizeof(typename Pack::Real) == sizeof(float)) check_lists(report, numbers);
  }
  // Narrower numbers in memory.
  if constexpr (sizeof(typename Pack::Real) == sizeof(double)) {
    alignas(64) double values[16];
    alignas(64) float narrow[16];
    fill(values, numbers);
    Pack::load(values).store(narrow);
    for (int k = 0; k < Pack::width; ++k) {
      report("store as float", k, static_cast<double>(narrow[k]),
             static_cast<double>(static_cast<float>(values[k])), 0.0);
    }
  }
}

constexpr VectorChecks checks{STERNA_KERNEL_NAME,      vector_bytes,
                              check_vectors<double>,   check_vectors<float>,
                              check_packs<DoublePack>, check_packs<FloatPack>};

}  // namespace
}  // namespace sterna::md
