// Reads MODYLAS's .mdxyz and .restart.asc: blocks with positions in angstrom, velocities in
// angstrom per second, edges and angles of a box centered on the origin. Atoms have no names; their
// types follow from the input's molecules, in their order.

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/start/foreign/modylas/words.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/reader_table.hpp"

namespace sterna::md {
namespace {

using modylas::is_tag, modylas::next_word, modylas::tag_name;

/// The words of a file, from a given place on.
class WordStream {
 public:
  explicit WordStream(std::shared_ptr<const FileHandle> file) : lines_(std::move(file)) {}

  /// The next word; empty at the end of the file.
  std::string_view next() {
    for (;;) {
      const std::string_view word = next_word(lines_.line(), at_);
      if (!word.empty()) return word;
      if (!lines_.next()) return {};
      at_ = 0;
    }
  }
  double number(std::string_view word, std::string_view what) {
    double value = 0.0;
    if (!is_tag(word) && modylas::parse_fortran_number(word, value)) return value;
    if (word.empty()) lines_.fail(fmt::format("the file ends before {}", what));
    lines_.fail(word, fmt::format("expected {}; found {}", what, quote(word)));
  }
  Vec3 triple(std::string_view what) {
    Vec3 value;
    for (int axis = 0; axis < 3; ++axis) value[axis] = number(next(), what);
    return value;
  }
  /// Moves to the place of another stream.
  void go_where(const WordStream& other) {
    lines_.go_to(other.lines_.mark());
    lines_.next();
    at_ = other.at_;
  }
  const LineReader& lines() const { return lines_; }

 private:
  LineReader lines_;
  std::size_t at_ = 0;
};

class CoordinatesReader final : public StartFileReader {
 public:
  CoordinatesReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : positions_(file), velocities_(file), molecules_(options.molecules) {
    WordStream all(file);
    if (options.units.is_reduced()) {
      all.next();
      all.lines().fail(
          "the numbers of this file are in angstrom; expected units = \"real\", "
          "\"metal\" or \"nano\" in the input");
    }
    if (molecules_.empty()) {
      all.next();
      all.lines().fail(
          "the atoms of this file have no names; expected [[molecule]] sections that "
          "say what they are");
    }
    scan(all);
    StartFileOptions in_angstrom = options;
    in_angstrom.units = *UnitSystem::by_name("real");
    const auto edges = this->edges(all.lines());
    const Vec3 middle = 0.5 * (edges[0] + edges[1] + edges[2]);
    frame_ = BoxFrame::of_edges(all.lines(), in_angstrom, edges, -1.0 * middle);
    header_.box = frame_.box();
    constexpr double seconds = 1e-15;  // converts angstrom/s to angstrom/fs
    velocity_unit_ = in_angstrom.units.to_internal(seconds, Dimension::velocity);
  }

 private:
  /// Finds the places of positions, velocities and the box.
  void scan(WordStream& all) {
    std::vector<std::string> open;
    std::string_view word;
    bool has_positions = false;
    std::string key;
    while (!(word = all.next()).empty()) {
      if (!is_tag(word)) {
        if (open.size() == 1 && open[0] == "atom" && key == "natom" && word != "=") {
          header_.particle_count =
              integer(all.lines(), word, "the number of atoms", 1, most_particles);
        }
        if (word != "=") key = word;
        continue;
      }
      const std::string name = tag_name(word);
      if (name.starts_with('/')) {
        if (open.empty() || open.back() != name.substr(1)) {
          all.lines().fail(word, fmt::format("{} closes no block that is open", quote(word)));
        }
        open.pop_back();
        continue;
      }
      open.push_back(name);
      if (open.size() != 2) continue;
      if (open[0] == "atom" && name == "positions") {
        positions_.go_where(all);
        has_positions = true;
      } else if (open[0] == "atom" && name == "velocities") {
        velocities_.go_where(all);
        header_.has_velocities = !is_tag(velocities_.next());
        velocities_.go_where(all);
      } else if (open[0] == "periodic cell" && (name == "length" || name == "angle")) {
        (name == "length" ? length_ : angle_) = all.triple("three numbers of the box");
      }
    }
    if (!open.empty()) all.lines().fail(fmt::format("the block <{}> is not closed", open.back()));
    if (header_.particle_count == 0) all.lines().fail("the file has no natom = ... in <atom>");
    if (!has_positions) all.lines().fail("the file has no <positions> in <atom>");
    if (!length_) all.lines().fail("the file has no <length> in <periodic cell>");
  }

  /// The edges from lengths and angles, the first along x and the second in the plane of x and y.
  std::array<Vec3, 3> edges(const LineReader& lines) const {
    const Vec3 length = *length_;
    const Vec3 angle = angle_.value_or(Vec3{90.0, 90.0, 90.0});
    Vec3 cosine;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(angle[axis] > 0.0 && angle[axis] < 180.0)) {
        lines.fail("expected angles of the box between 0 and 180 degrees");
      }
      // For right angles the cosine must be exactly 0.
      cosine[axis] = angle[axis] == 90.0 ? 0.0 : std::cos(angle[axis] * std::numbers::pi / 180.0);
    }
    const double sine = std::sqrt(1.0 - cosine.z * cosine.z);
    const double y = (cosine.x - cosine.y * cosine.z) / sine;
    const double height = 1.0 - cosine.y * cosine.y - y * y;
    if (!(height > 0.0)) lines.fail("there is no box with these angles");
    return {Vec3{length.x, 0.0, 0.0}, length.y * Vec3{cosine.z, sine, 0.0},
            length.z * Vec3{cosine.y, y, std::sqrt(height)}};
  }

  ParticleRecord next_particle() override {
    ParticleRecord record{};
    record.position.type = next_type();
    const Vec3 position = positions_.triple("a coordinate");
    if (header_.has_velocities) {
      record.velocity = velocity_unit_ * velocities_.triple("a velocity");
      frame_.turn(record);
    }
    frame_.place(positions_.lines(), position, record);
    record.id = ++read_;
    return record;
  }

  std::int64_t next_type() {
    while (copy_ == molecules_[kind_].count && kind_ + 1 < molecules_.size()) {
      ++kind_;
      copy_ = 0;
    }
    const auto& types = molecules_[kind_].types;
    if (copy_ == molecules_[kind_].count) {
      positions_.lines().fail(
          fmt::format("the file has {} atoms, which is more than the input's "
                      "molecules have",
                      header_.particle_count));
    }
    const std::int64_t type = types[atom_];
    if (++atom_ == types.size()) {
      atom_ = 0;
      ++copy_;
    }
    return type;
  }

  void check_end() override {
    expect_tag(positions_, "/positions");
    if (header_.has_velocities) expect_tag(velocities_, "/velocities");
  }
  void expect_tag(WordStream& stream, std::string_view name) const {
    const std::string_view word = stream.next();
    if (is_tag(word) && tag_name(word) == name) return;
    stream.lines().fail(word, fmt::format("expected <{}> after {} atoms; found {}", name,
                                          header_.particle_count, quote(word)));
  }

  WordStream positions_, velocities_;
  std::vector<StartFileOptions::Molecules> molecules_;
  std::optional<Vec3> length_, angle_;
  BoxFrame frame_;
  double velocity_unit_ = 1.0;
  std::size_t kind_ = 0, atom_ = 0;  ///< of the next particle
  std::int64_t copy_ = 0, read_ = 0;
};

bool is_begin(std::string_view line) {
  std::size_t at = 0;
  return next_word(line, at) == "<atom>";
}

bool recognizes_modylas(std::string_view first, std::string_view) {
  return is_begin(first);
}

}  // namespace

StartReaderRow start_reader::modylas() {
  return {.name = "modylas",
          .sentence = "positions of MODYLAS (.mdxyz), whose atoms are those of the [[molecule]]s",
          .looks_like = "MODYLAS (a line with `<atom>`)",
          .recognizes = recognizes_modylas,
          .recognizes_later = is_begin,
          .open = open_reader<CoordinatesReader>};
}

}  // namespace sterna::md
