#include <array>
#include <bit>
#include <limits>

#include <fmt/format.h>

#include "md/core/file_error.hpp"
#include "md/output/xdr_words.hpp"
#include "md/trajectories/trajectory_table.hpp"

namespace sterna::md {
namespace {

// Source: the readers of the format in GROMACS's and MDAnalysis's xdrfile. A file is a series of
// words of 32 bits, highest byte first.

struct TrrOptions {
  static constexpr std::string_view section = "trr";
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  bool velocities = false, forces = false;
};

constexpr std::uint32_t trr_magic = 1993;
constexpr std::uint32_t trr_box_bytes = 36;
constexpr std::uint64_t trr_head_bytes = 120;
constexpr std::size_t place_of_sizes = 24;  // byte of the sizes of a frame's parts, a word each
constexpr std::size_t size_of_positions = 7, size_of_velocities = 8, size_of_forces = 9;
constexpr std::size_t number_of_atoms = 10, number_of_step = 11;

class TrrFormat final : public FrameFormat {
 public:
  explicit TrrFormat(const TrrOptions& options) : options_(options) {}

  std::int64_t most_atoms() const override { return std::numeric_limits<std::int32_t>::max() / 12; }
  std::int64_t last_step() const override { return std::numeric_limits<std::int32_t>::max(); }

  bool has_velocities() const override { return options_.velocities; }
  bool has_forces() const override { return options_.forces; }

  std::string frame_head(const FrameHead& head) const override {
    const std::int64_t vectors = 12 * head.atoms;
    XdrWords words;
    words.put(trr_magic).put(std::uint32_t{13}).put(std::uint32_t{12});
    for (const std::uint32_t part : {word_of("GMX_"), word_of("trn_"), word_of("file")}) {
      words.put(part);
    }
    words.put(std::uint32_t{0}).put(std::uint32_t{0}).put(trr_box_bytes);
    for (int unused = 0; unused < 4; ++unused) words.put(std::uint32_t{0});
    words.put(vectors);
    words.put(options_.velocities ? vectors : 0).put(options_.forces ? vectors : 0);
    words.put(head.atoms).put(head.step).put(std::uint32_t{0});
    words.put(head.time).put(0.0);
    for (const Vec3& edge : head.box.edges()) words.put(edge.x).put(edge.y).put(edge.z);
    const auto bytes = words.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  int block_count() const override { return 1 + options_.velocities + options_.forces; }
  void encode(int block, std::span<const FrameAtom> atoms, std::string& bytes) const override {
    const Vec3 FrameAtom::*what = block == 0                          ? &FrameAtom::position
                                  : block == 1 && options_.velocities ? &FrameAtom::velocity
                                                                      : &FrameAtom::force;
    for (const FrameAtom& atom : atoms) {
      const Vec3& vector = atom.*what;
      for (const double number : {vector.x, vector.y, vector.z}) {
        const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
        for (int shift = 24; shift >= 0; shift -= 8) {
          bytes.push_back(static_cast<char>(bits >> shift & 0xffU));
        }
      }
    }
  }

  std::optional<Found> find_frame(const RawFile& file, std::uint64_t begin, std::uint64_t size,
                                  std::int64_t, const FrameFileContent&) const override {
    // A frame begins with its magic number. A part of the file that is not written yet has zeros
    // only.
    if (begin + trr_head_bytes > size) return std::nullopt;
    std::array<std::byte, trr_head_bytes> head{};
    file.read_at(begin, head);
    const std::uint32_t first = word_at(head, 0);
    if (first == 0) return std::nullopt;
    if (first != trr_magic || word_at(head, 4) != 13) {
      throw FileError(
          fmt::format("{}: byte {} begins no frame of a TRR file of this program, so the "
                      "run cannot go on with it; move it away",
                      file.path(), begin));
    }
    const auto number = [&](std::size_t n) {
      return std::uint64_t{word_at(head, place_of_sizes + 4 * n)};
    };
    const std::uint64_t end = begin + trr_head_bytes + number(size_of_positions) +
                              number(size_of_velocities) + number(size_of_forces);
    if (end > size) return std::nullopt;
    if ((number(size_of_velocities) > 0) != options_.velocities ||
        (number(size_of_forces) > 0) != options_.forces) {
      throw FileError(fmt::format(
          "{}: the frame at byte {} has other fields than \"velocities\" and \"forces\" in [trr] "
          "ask for; put them back, or move the file away",
          file.path(), begin));
    }
    return Found{static_cast<std::int64_t>(number(number_of_step)),
                 static_cast<std::int64_t>(number(number_of_atoms)), end};
  }

 private:
  static constexpr std::uint32_t word_of(const char (&text)[5]) {
    std::uint32_t value = 0;
    for (int n = 0; n < 4; ++n) value = value << 8 | static_cast<unsigned char>(text[n]);
    return value;
  }

  TrrOptions options_;
};

std::unique_ptr<FrameFormat> make_trr(const Input& input, const Topology&) {
  return std::make_unique<TrrFormat>(input.section<TrrOptions>());
}

}  // namespace

TrajectoryRow trajectory::trr() {
  TrajectoryRow row = motion_row<TrrOptions, 12, 0>(
      "Frames in the format TRR of GROMACS, written while the run lasts: "
      "`NAME.trr`, in nm, ps and kJ/mol, in single precision, with the box.",
      {"trrfile"}, ".trr", make_trr);
  row.last_step = std::numeric_limits<std::int32_t>::max();
  return row;
}

}  // namespace sterna::md
