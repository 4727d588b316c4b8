#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>

#include "md/core/file_error.hpp"
#include "md/core/formatting.hpp"
#include "md/input/component_frames.hpp"
#include "md/trajectories/lines_of_file.hpp"
#include "md/trajectories/trajectory_table.hpp"

namespace sterna::md {
namespace {

// Source: the manual of LAMMPS, "dump" and "units".

struct LammpsDumpOptions {
  static constexpr std::string_view section = "lammps_dump";
  std::int64_t interval = 0;
  std::vector<std::string> groups;
  bool velocities = false, forces = false;
};

constexpr std::string_view lammps_frame_begin = "ITEM: TIMESTEP\n";
constexpr int lammps_head_lines = 9;

/// The unit system of LAMMPS that equals the input's, or "real" for "nano".
UnitSystem lammps_units(const UnitSystem& units) {
  return units.name() == "nano" ? *UnitSystem::by_name("real") : units;
}

class LammpsDumpFormat final : public FrameFormat {
 public:
  LammpsDumpFormat(const LammpsDumpOptions& options, const Input& input)
      : options_(options), units_(lammps_units(input.units)) {
    std::int32_t sites = 0;
    for (const std::vector<Vec3>& places : atom_places_of_particles(input)) {
      const auto size = static_cast<std::int32_t>(places.size());
      first_site_.push_back(sites);
      sites += size;
      most_sites_ = std::max<std::int64_t>(most_sites_, size);
    }
  }

  std::int64_t most_atoms() const override { return std::numeric_limits<std::int64_t>::max(); }
  std::int64_t last_step() const override { return std::numeric_limits<std::int64_t>::max(); }

  bool has_velocities() const override { return options_.velocities; }
  bool has_forces() const override { return options_.forces; }

  std::string frame_head(const FrameHead& head) const override {
    std::string text =
        fmt::format("{}{}\nITEM: NUMBER OF ATOMS\n{}\n", lammps_frame_begin, head.step, head.atoms);
    const auto in_units = [&](double length) {
      return units_.from_internal(length, Dimension::length);
    };
    const Vec3& edge = head.box.length;
    const auto& tilt = head.box.tilt;
    if (tilt.none()) {
      text += "ITEM: BOX BOUNDS pp pp pp\n";
      for (const double length : {edge.x, edge.y, edge.z}) {
        text += fmt::format("0.0 {}\n", in_units(length));
      }
    } else {
      // LAMMPS writes the bounds of the orthorhombic box around a tilted box.
      const auto [x_least, x_most] = std::minmax({0.0, tilt.xy, tilt.xz, tilt.xy + tilt.xz});
      const auto [y_least, y_most] = std::minmax({0.0, tilt.yz});
      text += "ITEM: BOX BOUNDS xy xz yz pp pp pp\n";
      text += fmt::format("{} {} {}\n", in_units(x_least), in_units(edge.x + x_most),
                          in_units(tilt.xy));
      text += fmt::format("{} {} {}\n", in_units(y_least), in_units(edge.y + y_most),
                          in_units(tilt.xz));
      text += fmt::format("0.0 {} {}\n", in_units(edge.z), in_units(tilt.yz));
    }
    return text + line_of_fields() + "\n";
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
      const std::int32_t type = first_site_.empty()
                                    ? atom.type
                                    : first_site_[static_cast<std::size_t>(atom.type)] + atom.site;
      fmt::format_to(out, "{} {}", (atom.id - 1) * most_sites_ + atom.site + 1, type + 1);
      add(atom.position, length);
      for (const std::int32_t image : atom.image) fmt::format_to(out, " {}", image);
      if (options_.velocities) add(atom.velocity, velocity);
      if (options_.forces) add(atom.force, force);
      bytes += '\n';
    }
  }

  std::optional<Found> find_frame(const RawFile& file, std::uint64_t begin, std::uint64_t size,
                                  std::int64_t, const FrameFileContent&) const override {
    LinesOfFile lines(file, begin, size);
    std::string line;
    Found found{};
    for (int n = 0; n < lammps_head_lines; ++n) {
      const bool is_whole = lines.next(line);
      // If the file ends within the first line, the part of the line that is there must match.
      const bool may_be_cut = n > 0 || lammps_frame_begin.starts_with(line);
      if ((!is_whole && may_be_cut) || line.starts_with('\0')) return std::nullopt;
      std::int64_t* number = n == 1 ? &found.step : n == 3 ? &found.atoms : nullptr;
      const char* end = line.data() + line.size();
      const bool is_good =
          number != nullptr ? std::from_chars(line.data(), end, *number).ptr == end && !line.empty()
          : n == 0          ? line == lammps_frame_begin.substr(0, lammps_frame_begin.size() - 1)
                            : true;
      if (!is_good) {
        throw FileError(
            fmt::format("{}: byte {} begins no frame of a dump file of LAMMPS, so the run "
                        "cannot go on with it; move it away",
                        file.path(), begin));
      }
    }
    if (line != line_of_fields()) {
      throw FileError(fmt::format(
          "{}: the frame at byte {} has \"{}\", and \"velocities\" and \"forces\" in [lammps_dump] "
          "ask for \"{}\"; put them back, or move the file away",
          file.path(), begin, line, line_of_fields()));
    }
    for (std::int64_t atom = 0; atom < found.atoms; ++atom) {
      if (!lines.next(line)) return std::nullopt;
    }
    found.end = lines.place();
    return found;
  }

 private:
  std::string line_of_fields() const {
    std::string line = "ITEM: ATOMS id type x y z ix iy iz";
    if (options_.velocities) line += " vx vy vz";
    if (options_.forces) line += " fx fy fz";
    return line;
  }

  LammpsDumpOptions options_;
  UnitSystem units_;
  std::vector<std::int32_t> first_site_;  ///< of each type and component, through all of them
  std::int64_t most_sites_ = 1;
};

std::unique_ptr<FrameFormat> make_lammps_dump(const Input& input, const Topology&) {
  return std::make_unique<LammpsDumpFormat>(input.section<LammpsDumpOptions>(), input);
}

}  // namespace

TrajectoryRow trajectory::lammps_dump() {
  TrajectoryRow row = motion_row<LammpsDumpOptions, 60, 20>(
      "Frames in the text format of LAMMPS's dumps, written while the run lasts: "
      "`NAME.lammpstrj`, all digits, with the images of the box. Its units are "
      "lj, metal or real as those of the input; for \"nano\" real.",
      {"lammpstrj", "dump_file"}, ".lammpstrj", make_lammps_dump);
  row.has_changing_numbers = true;
  return row;
}

}  // namespace sterna::md
