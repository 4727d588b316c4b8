#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "md/core/file_error.hpp"
#include "md/trajectories/trajectory_table.hpp"

namespace sterna::md {
namespace {

// Source: the readers of the format in VMD's molfile plugins and MDAnalysis. A file is a series of
// Fortran records, each with its length before and after it, in the byte order of the machine.

struct DcdOptions {
  std::int64_t interval = 0;
  std::vector<std::string> groups;
};

constexpr double akma_time = 0.04888821;  // unit of time in CHARMM in ps, as NAMD writes it
constexpr std::size_t dcd_head_bytes = 92 + 172 + 12;
constexpr std::size_t place_of_first_step = 12, place_of_interval = 16, place_of_time = 44;
constexpr std::size_t place_of_atoms = dcd_head_bytes - 8;
constexpr std::size_t dcd_cell_bytes = 56;

template <class Number>
void append_raw(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::int32_t number_in(const RawFile& file, std::uint64_t place) {
  std::array<std::byte, 4> bytes{};
  file.read_at(place, bytes);
  return std::bit_cast<std::int32_t>(bytes);
}

class DcdFormat final : public FrameFormat {
 public:
  explicit DcdFormat(const Input& input)
      : length_(input.units.is_reduced() ? 1.0 : 10.0),
        time_(input.units.is_reduced() ? 1.0 : akma_time) {}

  std::int64_t most_atoms() const override { return std::numeric_limits<std::int32_t>::max() / 4; }
  std::int64_t last_step() const override { return std::numeric_limits<std::int32_t>::max(); }
  bool counts_frames() const override { return true; }

  std::string file_head(const FrameFileContent& content) const override {
    constexpr std::size_t numbers = 20, title_bytes = 80;
    std::array<std::int32_t, numbers> control{};
    // A run with the largest number of steps may need one more than the format's largest number.
    const auto bounded = [](std::int64_t number) {
      constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
      return static_cast<std::int32_t>(std::min(number, most));
    };
    control[0] = bounded(content.frames);
    control[1] = bounded(content.first_step);
    control[2] = bounded(content.interval);
    control[3] = bounded(content.frames * content.interval);
    control[9] = std::bit_cast<std::int32_t>(static_cast<float>(content.time_per_step / time_));
    control[10] = 1;   // frames have a box
    control[19] = 24;  // written as CHARMM version 24 does
    std::string bytes;
    append_raw(bytes, std::int32_t{84});
    bytes += "CORD";
    for (const std::int32_t number : control) append_raw(bytes, number);
    append_raw(bytes, std::int32_t{84});
    append_raw(bytes, std::int32_t{164});
    append_raw(bytes, std::int32_t{2});
    for (std::string title : {"Sterna", "positions"}) {
      title.resize(title_bytes, ' ');
      bytes += title;
    }
    append_raw(bytes, std::int32_t{164});
    append_raw(bytes, std::int32_t{4});
    append_raw(bytes, static_cast<std::int32_t>(content.atoms));
    append_raw(bytes, std::int32_t{4});
    return bytes;
  }

  void read_file_head(const RawFile& file, FrameFileContent& content) const override {
    std::array<std::byte, 8> first{};
    file.read_at(0, first);
    constexpr std::array<char, 8> expected{84, 0, 0, 0, 'C', 'O', 'R', 'D'};
    if (std::memcmp(first.data(), expected.data(), first.size()) != 0) {
      throw FileError(file.path() + ": this is no DCD file of this machine; move it away");
    }
    const std::int32_t interval = number_in(file, place_of_interval);
    if (interval != content.interval) {
      throw FileError(fmt::format(
          "{}: its frames are {} steps apart, those of the run {}, and a DCD file has one interval "
          "only; move it away",
          file.path(), interval, content.interval));
    }
    content.first_step = number_in(file, place_of_first_step);
    content.time_per_step = time_ * std::bit_cast<float>(number_in(file, place_of_time));
  }

  std::string frame_head(const FrameHead& head) const override {
    const auto [a, b, c] = head.box.edges();
    const auto cosine = [&](const Vec3& u, const Vec3& v) {
      return dot(u, v) / (length(u) * length(v));
    };
    std::string bytes;
    append_raw(bytes, std::int32_t{48});
    for (const double number : {length_ * length(a), cosine(a, b), length_ * length(b),
                                cosine(a, c), cosine(b, c), length_ * length(c)}) {
      append_raw(bytes, number);
    }
    append_raw(bytes, std::int32_t{48});
    return bytes;
  }

  int block_count() const override { return 3; }
  std::string block_begin(int, std::int64_t atoms) const override {
    std::string bytes;
    append_raw(bytes, static_cast<std::int32_t>(4 * atoms));
    return bytes;
  }
  std::string block_end(int block, std::int64_t atoms) const override {
    return block_begin(block, atoms);
  }
  void encode(int block, std::span<const FrameAtom> atoms, std::string& bytes) const override {
    for (const FrameAtom& atom : atoms) {
      const Vec3& at = atom.position;
      append_raw(bytes, static_cast<float>(length_ * (block == 0   ? at.x
                                                      : block == 1 ? at.y
                                                                   : at.z)));
    }
  }

  std::optional<Found> find_frame(const RawFile& file, std::uint64_t begin, std::uint64_t size,
                                  std::int64_t number,
                                  const FrameFileContent& content) const override {
    const std::int64_t atoms = number_in(file, place_of_atoms);
    const std::uint64_t end =
        begin + dcd_cell_bytes + 3 * (8 + 4 * static_cast<std::uint64_t>(atoms));
    if (end > size) return std::nullopt;
    const std::int32_t first = number_in(file, begin);
    if (first == 0) return std::nullopt;
    if (first != 48) {
      throw FileError(
          fmt::format("{}: byte {} begins no frame of a DCD file with a box, so the run "
                      "cannot go on with it; move it away",
                      file.path(), begin));
    }
    return Found{content.first_step + number * content.interval, atoms, end};
  }

 private:
  double length_, time_;
};

std::unique_ptr<FrameFormat> make_dcd(const Input& input, const Topology&) {
  return std::make_unique<DcdFormat>(input);
}

}  // namespace

TrajectoryRow trajectory::dcd() {
  return {.schema = {.name = "dcd",
                     .description =
                         "Positions in the format DCD of CHARMM and NAMD, written while the run "
                         "lasts: `NAME.dcd`, in angstrom, in single precision, with the box.",
                     .aliases = {"dcdfile"}},
          .keys = trajectory_keys<DcdOptions>(),
          .interval = trajectory_interval<DcdOptions>,
          .groups = trajectory_groups<DcdOptions>,
          .bytes_per_atom = [](const Input&) { return 12.0; },
          .last_step = std::numeric_limits<std::int32_t>::max(),
          .has_one_interval = true,
          .ending = ".dcd",
          .make = make_dcd};
}

}  // namespace sterna::md
