#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>

#include "md/core/file_error.hpp"
#include "md/core/formatting.hpp"
#include "md/input/atom_labels.hpp"
#include "md/trajectories/lines_of_file.hpp"
#include "md/trajectories/trajectory_table.hpp"
#include "sterna/comm/joined.hpp"

namespace sterna::md {
namespace {

// Source: extended XYZ as the documentation of ASE describes it ("ase.io.extxyz").

struct XyzOptions {
  static constexpr std::string_view section = "xyz";
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  bool velocities = false, forces = false;
};

/// Angstrom, eV and ps, which ASE and OVITO expect, or reduced units.
UnitSystem xyz_units(const UnitSystem& units) {
  return units.is_reduced() ? units : *UnitSystem::by_name("metal");
}

/// The parts of an atom's line that never change.
struct FixedText {
  std::string before_position, names, charge;
};

FixedText fixed_text(const AtomLabel& label) {
  const auto one_word = [](std::string text) {
    std::ranges::replace(text, ' ', '_');
    return text;
  };
  return {label.element.empty() ? "X" : label.element,
          fmt::format("{} {}", one_word(label.name), one_word(label.type)),
          fmt::format("{}", label.charge)};
}

std::vector<FixedText> fixed_texts(const std::vector<AtomLabel>& labels) {
  std::vector<FixedText> texts;
  std::ranges::transform(labels, std::back_inserter(texts), fixed_text);
  return texts;
}

class XyzFormat final : public FrameFormat {
 public:
  XyzFormat(const XyzOptions& options, const Input& input, const Topology& topology)
      : options_(options),
        units_(xyz_units(input.units)),
        topology_(topology),
        type_count_(static_cast<std::int64_t>(input.types.size())) {
    for (const auto& labels : labels_of_particles(input)) particles_.push_back(fixed_texts(labels));
    for (const Topology::Molecule& molecule : topology.molecules()) {
      molecules_.push_back(fixed_texts(labels_of_molecule(input, molecule)));
    }
  }

  std::int64_t most_atoms() const override { return std::numeric_limits<std::int64_t>::max(); }
  std::int64_t last_step() const override { return std::numeric_limits<std::int64_t>::max(); }

  bool has_velocities() const override { return options_.velocities; }
  bool has_forces() const override { return options_.forces; }

  std::string frame_head(const FrameHead& head) const override {
    std::array<double, 9> lattice{};
    std::size_t at = 0;
    for (const Vec3& edge : head.box.edges()) {
      for (const double number : {edge.x, edge.y, edge.z}) {
        lattice[at++] = units_.from_internal(number, Dimension::length);
      }
    }
    return fmt::format("{}\n{}{}\"{}{}{} time={} energy={}\n", head.atoms, begin_of_comment,
                       comm::joined(lattice, " "), fields(), key_of_step, head.step,
                       units_.from_internal(head.time, Dimension::time),
                       units_.from_internal(head.potential_energy, Dimension::energy));
  }

  void encode(int, std::span<const FrameAtom> atoms, std::string& bytes) const override {
    const auto out = std::back_inserter(bytes);
    const auto add = [&](const Vec3& vector, double factor) {
      fmt::format_to(out, " {} {} {}", factor * vector.x, factor * vector.y, factor * vector.z);
    };
    const double length = units_.from_internal(1.0, Dimension::length);
    const double velocity = units_.from_internal(1.0, Dimension::velocity);
    const double force = units_.from_internal(1.0, Dimension::force);
    for (const FrameAtom& atom : atoms) {
      std::int64_t molecule = atom.id;
      const FixedText* fixed = nullptr;
      std::optional<Topology::Place> place;
      if (!topology_.empty()) {
        place = topology_.place_of(atom.id);
        molecule = place->molecule_number;
      }
      if (place && atom.type < type_count_) {
        fixed = &molecules_[place->molecule][static_cast<std::size_t>(place->atom)];
      } else {
        fixed =
            &particles_[static_cast<std::size_t>(atom.type)][static_cast<std::size_t>(atom.site)];
      }
      bytes += fixed->before_position;
      add(atom.position, length);
      fmt::format_to(out, " {} {} {}", fixed->names, molecule, fixed->charge);
      if (options_.velocities) add(atom.velocity, velocity);
      if (options_.forces) add(atom.force, force);
      bytes += '\n';
    }
  }

  std::optional<Found> find_frame(const RawFile& file, std::uint64_t begin, std::uint64_t size,
                                  std::int64_t, const FrameFileContent&) const override {
    LinesOfFile lines(file, begin, size);
    std::string count, comment;
    const bool has_count = lines.next(count);
    if (count.starts_with('\0')) return std::nullopt;
    Found found{};
    const bool is_count = read_number(count, found.atoms);
    // If the file ends within the head of a frame, the frame is incomplete.
    if (!has_count && is_count) return std::nullopt;
    const bool has_comment = is_count && lines.next(comment);
    if (is_count && !has_comment) return std::nullopt;
    const std::size_t step = comment.find(key_of_step);
    if (!is_count || !comment.starts_with(begin_of_comment) || step == std::string::npos ||
        !read_number(std::string_view(comment).substr(step + key_of_step.size()), found.step)) {
      throw FileError(
          fmt::format("{}: byte {} begins no frame of an extended XYZ file of this program, so the "
                      "run cannot go on with it; move it away",
                      file.path(), begin));
    }
    if (comment.find(fields()) == std::string::npos) {
      throw FileError(
          fmt::format("{}: the frame at byte {} has other fields than \"velocities\" and "
                      "\"forces\" in [xyz] ask "
                      "for; put them back, or move the file away",
                      file.path(), begin));
    }
    for (std::int64_t atom = 0; atom < found.atoms; ++atom) {
      if (!lines.next(comment)) return std::nullopt;
    }
    found.end = lines.place();
    return found;
  }

 private:
  static constexpr std::string_view begin_of_comment = "Lattice=\"", key_of_step = " step=";

  /// The part of the comment line that names the columns of the atoms' lines.
  std::string fields() const {
    return fmt::format(
        " Properties=species:S:1:pos:R:3:name:S:1:kind:S:1:molecule:I:1:initial_charges:R:1{}{} "
        "pbc=\"T T T\"",
        options_.velocities ? ":velo:R:3" : "", options_.forces ? ":forces:R:3" : "");
  }

  /// Reads a number that ends at a blank or at the end of the text.
  static bool read_number(std::string_view text, std::int64_t& number) {
    text = text.substr(0, text.find(' '));
    const char* end = text.data() + text.size();
    return !text.empty() && std::from_chars(text.data(), end, number).ptr == end;
  }

  XyzOptions options_;
  UnitSystem units_;
  const Topology& topology_;
  std::int64_t type_count_;
  std::vector<std::vector<FixedText>> particles_, molecules_;
};

std::unique_ptr<FrameFormat> make_xyz(const Input& input, const Topology& topology) {
  return std::make_unique<XyzFormat>(input.section<XyzOptions>(), input, topology);
}

}  // namespace

TrajectoryRow trajectory::xyz() {
  TrajectoryRow row = motion_row<XyzOptions, 60, 25>(
      "Frames as extended XYZ, the text format of ASE and OVITO, written while "
      "the run lasts: `NAME.trajectory.xyz`, all digits, in angstrom, ps and eV, with the "
      "box, the time, the potential energy, and elements, names, types, "
      "molecules and charges of the atoms. Reduced numbers stay as they are.",
      {"extxyz", "extended_xyz"}, ".trajectory.xyz", make_xyz);
  row.has_changing_numbers = true;
  return row;
}

}  // namespace sterna::md
