#include "md/output/xtc_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "md/output/xtc_encoding.hpp"
#include "md/output/xtc_kernels.hpp"
#include "output/output_support.hpp"

using namespace sterna;
using namespace sterna::md;

namespace {

constexpr std::int64_t total = 3000;
const Box box{{4000.0, 4000.0, 4000.0}};

/// Small blocks, so that every rank has several pieces.
XtcOptions small_options() {
  XtcOptions options;
  options.atoms = total;
  options.redistribution = {.method = "auto", .granularity = 64, .piece_slots = 256};
  return options;
}

void write_frames(const comm::Context& context, XtcWriter& writer, std::int64_t from,
                  std::int64_t to) {
  for (std::int64_t frame = from; frame < to; ++frame) {
    writer.write_frame(100 * frame, 0.5 * static_cast<double>(frame), box,
                       dealt_particles(context, total, frame));
  }
}

std::uint32_t word_at(const std::string& bytes, std::size_t place) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    word = word << 8 | static_cast<unsigned char>(bytes[place + k]);
  }
  return word;
}

/// Steps of the frames, by their heads.
std::vector<std::uint32_t> steps_in(const std::string& path) {
  const std::string bytes = content_of(path);
  std::vector<std::uint32_t> steps;
  for (std::size_t place = 0; place < bytes.size();) {
    REQUIRE(place + 92 <= bytes.size());
    REQUIRE(word_at(bytes, place) == 1995);
    steps.push_back(word_at(bytes, place + 8));
    place += 92 + (word_at(bytes, place + 88) + 3) / 4 * 4;
    REQUIRE(place <= bytes.size());
  }
  return steps;
}

/// Bits of a stream, the highest one of a byte first.
class Bits {
 public:
  explicit Bits(const std::vector<std::byte>& bytes) : bytes_(bytes) {}
  std::uint64_t take(int count) {
    std::uint64_t value = 0;
    for (; count > 0; --count, ++place_) {
      REQUIRE(place_ / 8 < bytes_.size());
      value = value << 1 | (std::to_integer<unsigned>(bytes_[place_ / 8]) >> (7 - place_ % 8) & 1U);
    }
    return value;
  }
  /// Bytes, the lowest one first.
  std::uint64_t take_bytes(int count) {
    std::uint64_t value = 0;
    int shift = 0;
    for (; count >= 8; count -= 8, shift += 8) value |= take(8) << shift;
    return count > 0 ? value | take(count) << shift : value;
  }

 private:
  const std::vector<std::byte>& bytes_;
  std::size_t place_ = 0;
};

/// What the format says of a stream; `sizes` holds at least those that are in it. Only for packed
/// points of up to 64 bits.
std::vector<XtcPoint> decoded(const std::vector<std::byte>& stream, const XtcRange& range,
                              std::size_t count) {
  const std::int64_t sizes[] = {8,  10,  12,  16,  20,  25,  32,  40,  50,  64,
                                80, 101, 128, 161, 203, 256, 322, 406, 512, 645};
  constexpr int first_entry = 9;
  std::uint64_t extent[3];
  double product = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    extent[axis] = static_cast<std::uint64_t>(range.most[axis] - range.least[axis] + 1);
    product *= static_cast<double>(extent[axis]);
  }
  const int bits = static_cast<int>(std::floor(std::log2(product))) + 1;
  const auto split = [](std::uint64_t packed, std::uint64_t second, std::uint64_t third) {
    return std::array<std::int64_t, 3>{static_cast<std::int64_t>(packed / third / second),
                                       static_cast<std::int64_t>(packed / third % second),
                                       static_cast<std::int64_t>(packed % third)};
  };
  Bits in(stream);
  std::vector<XtcPoint> points;
  int entry = range.first_size();
  std::uint64_t run = 0;
  while (points.size() < count) {
    const auto large = split(in.take_bytes(bits), extent[1], extent[2]);
    XtcPoint point;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      point[axis] = static_cast<std::int32_t>(large[axis] + range.least[axis]);
    }
    points.push_back(point);
    int change = 0;
    if (in.take(1) == 1) {
      const std::uint64_t flag = in.take(5);
      run = flag / 3;
      change = static_cast<int>(flag % 3) - 1;
    }
    const auto size = sizes[entry - first_entry];
    for (std::uint64_t k = 0; k < run; ++k) {
      const auto unsigned_size = static_cast<std::uint64_t>(size);
      const auto small = split(in.take_bytes(entry), unsigned_size, unsigned_size);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        point[axis] += static_cast<std::int32_t>(small[axis] - size / 2);
      }
      points.push_back(point);
      // The first two have changed their places.
      if (k == 0) std::swap(points[points.size() - 2], points[points.size() - 1]);
    }
    entry += change;
    REQUIRE(entry >= first_entry);
    REQUIRE(entry < first_entry + static_cast<int>(std::size(sizes)));
  }
  return points;
}

/// Molecules of three points in a box, and chains whose steps become longer and shorter.
std::vector<XtcPoint> test_points(std::size_t count) {
  std::vector<XtcPoint> points;
  std::uint32_t state = 7;
  const auto next = [&](std::int32_t most) {
    state = 1664525 * state + 1013904223;
    return static_cast<std::int32_t>((state >> 8) % static_cast<std::uint32_t>(most));
  };
  XtcPoint at{};
  while (points.size() < count) {
    const std::int32_t spread = 4 << next(6);
    if (points.size() % 30 == 0) at = {next(20000), next(20000), next(20000)};
    for (std::int32_t& x : at) x += next(2 * spread) - spread;
    points.push_back(at);
  }
  return points;
}

}  // namespace

TEST_CASE("parts that follow each other are one stream") {
  for (const std::size_t count : {100, 1000, 20000}) {
    for (const std::size_t parts : {1, 2, 3, 5}) {
      const std::vector<XtcPoint> points = test_points(count);
      XtcRange range;
      const std::size_t share = (count + parts - 1) / parts;
      for (std::size_t begin = 0; begin < count; begin += share) {
        range.add(std::span(points).subspan(begin, std::min(share, count - begin)));
      }
      std::vector<std::byte> stream, room;
      std::vector<XtcPoint> given = points;
      for (std::size_t begin = 0; begin < count; begin += share) {
        const std::size_t size = std::min(share, count - begin);
        const auto part =
            encode_xtc(std::span(given).subspan(begin, size), range, begin + size == count, room);
        stream.insert(stream.end(), part.begin(), part.end());
      }
      CHECK(decoded(stream, range, count) == points);
    }
  }
}

TEST_CASE("all instruction sets have the same bits") {
  const std::vector<const XtcKernels*> all = available_xtc_kernels();
  const XtcKernels& narrowest = *all.back();
  for (const std::size_t count : {1, 2, 15, 16, 17, 511, 512, 513, 529, 5000}) {
    CAPTURE(count);
    // Water, chains whose steps change, and points all over, some of them as far as can be.
    std::vector<std::vector<XtcPoint>> kinds{test_points(count), test_points(count)};
    for (std::size_t i = 0; i < count; ++i) {
      const auto far = static_cast<std::int32_t>(i * 2654435761u);
      kinds[1][i] = {far / 2, i % 7 == 0 ? 1000000000 : -1000000000, far / 5};
    }
    kinds.push_back(kinds[1]);
    for (XtcPoint& point : kinds[2]) point = {point[0] / 100, point[1] / 1000, point[2] / 70};
    for (const std::vector<XtcPoint>& points : kinds) {
      XtcRange expected;
      // By the definition.
      for (std::size_t i = 0; i < count; ++i) {
        std::int64_t distance = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::int64_t x = points[i][axis];
          expected.least[axis] = std::min(expected.least[axis], x);
          expected.most[axis] = std::max(expected.most[axis], x);
          if (i > 0) distance += std::abs(x - points[i - 1][axis]);
        }
        if (i > 0) expected.least_distance = std::min(expected.least_distance, distance);
      }
      for (const XtcKernels* kernels : all) {
        CAPTURE(std::string(kernels->name));
        XtcRange range;
        kernels->add(points, range);
        CHECK(range.least == expected.least);
        CHECK(range.most == expected.most);
        CHECK(range.first_size() == expected.first_size());
        if (expected.least_distance < 100000000) {
          CHECK(range.least_distance == expected.least_distance);
        }
        for (const bool is_last : {true, false}) {
          if (!is_last && count < least_xtc_part) continue;
          std::vector<XtcPoint> given = points, same = points;
          std::vector<std::byte> room, other_room;
          const auto bytes = kernels->encode(given, expected, is_last, room);
          const auto others = narrowest.encode(same, expected, is_last, other_room);
          CHECK(std::ranges::equal(bytes, others));
        }
      }
    }
  }
}

TEST_CASE("positions are rounded up to the first that is not in the box") {
  const Vec3 edges{10.0, 20.0, 30.0};
  const auto position = [](std::size_t i) {
    const double x = 1e-4 * static_cast<double>(i % 9973);
    return Position{x, 1.5 * x + 0.0005, 29.9995 - x, static_cast<std::int64_t>(i % 5)};
  };
  const double infinite = std::numeric_limits<double>::infinity();
  const double bad[] = {-1e-300, 1e9, std::nan(""), infinite, -infinite};
  for (const XtcKernels* kernels : available_xtc_kernels()) {
    CAPTURE(std::string(kernels->name));
    for (const std::size_t count : {0, 1, 2, 3, 8, 100}) {
      AlignedBuffer<Position> positions(count);
      for (std::size_t i = 0; i < count; ++i) positions[i] = position(i);
      for (const std::size_t stride : {16, 24}) {
        std::vector<std::byte> items(count * stride);
        CHECK(kernels->round(positions.span(), 1000.0, edges, items.data(), stride) == count);
        for (std::size_t i = 0; i < count; ++i) {
          XtcPoint point;
          std::memcpy(&point, items.data() + i * stride, sizeof(point));
          const Position& p = positions[i];
          CHECK(point[0] == static_cast<std::int32_t>(p.x * 1000.0 + 0.5));
          CHECK(point[1] == static_cast<std::int32_t>(p.y * 1000.0 + 0.5));
          CHECK(point[2] == static_cast<std::int32_t>(p.z * 1000.0 + 0.5));
        }
        for (std::size_t wrong = 0; wrong < count; ++wrong) {
          for (const double value : bad) {
            const Position right = positions[wrong];
            (wrong % 3 == 0   ? positions[wrong].x
             : wrong % 3 == 1 ? positions[wrong].y
                              : positions[wrong].z) = value;
            CHECK(kernels->round(positions.span(), 1000.0, edges, items.data(), stride) == wrong);
            positions[wrong] = right;
          }
        }
        // In the box, but too large a number.
        if (count > 0) {
          CHECK(kernels->round(positions.span(), 1e9, edges, items.data(), stride) == 0);
        }
      }
    }
  }
}

TEST_CASE("frames of all ranks follow each other in one file") {
  const comm::Context context;
  const SharedFolder folder(context);
  XtcWriter writer = XtcWriter::create(context, folder / "run.xtc", total, small_options());
  write_frames(context, writer, 0, 3);
  writer.sync();
  CHECK(writer.frame_count() == 3);
  if (context.rank() == 0) {
    CHECK(steps_in(folder / "run.xtc") == std::vector<std::uint32_t>{0, 100, 200});
  }
  comm::barrier(context);
}

TEST_CASE("a resumed file keeps the frames up to the checkpoint") {
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.xtc";
  {
    XtcWriter writer = XtcWriter::create(context, path, total, small_options());
    write_frames(context, writer, 0, 4);
  }
  if (context.rank() == 0) {
    // A frame that was being written has no head yet.
    std::ofstream(path, std::ios::binary | std::ios::app) << std::string(500, '\0');
  }
  comm::barrier(context);
  {
    XtcWriter writer = XtcWriter::resume(context, path, total, small_options(), 250);
    CHECK(writer.frame_count() == 3);
    write_frames(context, writer, 3, 5);
  }
  if (context.rank() == 0) {
    CHECK(steps_in(path) == std::vector<std::uint32_t>{0, 100, 200, 300, 400});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 10);
  }
  comm::barrier(context);
  // A checkpoint of a later step has been written after this frame, which was whole then.
  CHECK(
      contains(failure_of([&] { XtcWriter::resume(context, path, total, small_options(), 1000); }),
               "is damaged, and the run would go on without those from step 400 to 1000"));
  {
    XtcWriter writer = XtcWriter::resume(context, path, total, small_options(), 350);
    CHECK(writer.frame_count() == 4);
  }
  if (context.rank() == 0) CHECK(steps_in(path).size() == 4);
  comm::barrier(context);
  XtcWriter writer = XtcWriter::resume(context, folder / "new.xtc", total, small_options(), 1000);
  CHECK(writer.frame_count() == 0);
  write_frames(context, writer, 0, 1);
}

TEST_CASE("what cannot go on is refused on all ranks") {
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.xtc";
  {
    XtcWriter writer = XtcWriter::create(context, path, total, small_options());
    write_frames(context, writer, 0, 1);
  }
  XtcOptions others = small_options();
  others.atoms = 3 * total;
  CHECK(contains(failure_of([&] { XtcWriter::resume(context, path, total, others, 100); }),
                 "it has 3000 atoms, the run has 9000"));
  if (context.rank() == 0) {
    std::ofstream(folder / "text.xtc") << std::string(200, 'x');
  }
  comm::barrier(context);
  CHECK(contains(failure_of([&] {
                   XtcWriter::resume(context, folder / "text.xtc", total, small_options(), 100);
                 }),
                 "byte 0 begins no frame of an XTC file"));
  others.atoms = XtcWriter::most_atoms + 1;
  CHECK(contains(failure_of([&] { XtcWriter::create(context, path, total, others); }),
                 "an XTC file has at most 298261617 atoms"));
}

TEST_CASE("a position that has no place in the file, and a full disk, leave the earlier frames") {
  const comm::Context context;
  const SharedFolder folder(context);
  const std::string path = folder / "run.xtc";
  XtcWriter writer = XtcWriter::create(context, path, total, small_options());
  write_frames(context, writer, 0, 1);
  const std::string before = context.rank() == 0 ? content_of(path) : "";
  ParticleStore lost = dealt_particles(context, total, 1);
  for (std::size_t i = 0; i < lost.local_count(); ++i) {
    if (lost.id[i] == 1234) lost.position[i].x = std::nan("");
  }
  CHECK(
      contains(failure_of([&] { writer.write_frame(100, 0.5, box, lost); }), "nan is no position"));
  XtcOptions fine = small_options();
  fine.rounding = 1e-7;
  XtcWriter finer = XtcWriter::create(context, folder / "fine.xtc", total, fine);
  CHECK(contains(failure_of([&] { write_frames(context, finer, 0, 1); }),
                 "it has no place in an XTC file, where numbers rounded to 1e-07 end at 214.7"));
  {
    const FileSizeLimit limit(before.size() + 4000);
    comm::barrier(context);
    CHECK(contains(failure_of([&] { write_frames(context, writer, 1, 2); }), "File too large"));
  }
  comm::barrier(context);
  if (context.rank() == 0) CHECK(content_of(path) == before);
  comm::barrier(context);
  write_frames(context, writer, 1, 2);
  if (context.rank() == 0) CHECK(steps_in(path) == std::vector<std::uint32_t>{0, 100});
  comm::barrier(context);
}
