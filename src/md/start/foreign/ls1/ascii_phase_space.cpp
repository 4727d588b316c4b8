// The columns of a molecule: id, component (from 1), x y z, vx vy vz, then the quaternion
// qw qx qy qz from body to laboratory and the angular momentum Dx Dy Dz in the laboratory frame.
// The header's aliases are those of ls1's ASCIIReader.

#include <fmt/format.h>

#include <cmath>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/start/foreign/ls1/molecule_format.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/id_set.hpp"

namespace sterna::md::ls1 {
namespace {

constexpr std::int64_t oldest_version = 20080701;

class AsciiPhaseSpaceReader final : public StartFileReader {
 public:
  AsciiPhaseSpaceReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : reader_(std::move(file)),
        component_count_(static_cast<std::int64_t>(options.type_names.size())),
        renumbers_(options.renumber) {
    read_version();
    read_header(options);
    header_.has_velocities = true;
    header_.has_orientations = header_.has_angular_momenta = format_.rotation;
  }

 private:
  void read_version() {
    reader_.next();
    Fields fields(reader_.line());
    if (fields.next() != "mardyn") {
      reader_.fail("expected a first line such as `mardyn trunk 20120726`");
    }
    fields.next();
    const std::string_view version = fields.next();
    if (integer(reader_, version, "the version of the format", 0, 99999999) < oldest_version) {
      reader_.fail(version, fmt::format("this version of the format is older than {}, the oldest "
                                        "that ls1 reads",
                                        oldest_version));
    }
  }

  void read_header(const StartFileOptions& options) {
    Vec3 edges;
    while (true) {
      if (!reader_.next()) {
        reader_.fail("the file ends before `NumberOfMolecules N`");
      }
      Fields fields(reader_.line());
      const std::string_view word = fields.next();
      if (word == "Length" || word == "L") {
        edges = read_edges(fields);
        compare_box(options, edges);
      } else if (word == "NumberOfComponents" || word == "C") {
        compare_components(fields.next());
      } else if (word == "NumberOfMolecules" || word == "N") {
        header_.particle_count =
            integer(reader_, fields.next(), "the number of molecules", 1, most_particles);
        expect_end_of_line(reader_, fields, "the number of molecules");
        break;
      }
    }
    if (options.box || edges == Vec3{}) {
      frame_ = BoxFrame::of_input(reader_, options, "give a line `Length Lx Ly Lz` in the header");
    } else {
      frame_ = BoxFrame::of_file(reader_, options, {edges}, Vec3{});
    }
    header_.box = frame_.box();
    read_format();
  }

  Vec3 read_edges(Fields& fields) {
    Vec3 edges;
    constexpr std::string_view names[3] = {"the x edge", "the y edge", "the z edge"};
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view field = fields.next();
      edges[axis] = number(reader_, field, names[axis]);
      if (!(edges[axis] > 0.0)) reader_.fail(field, "the edges of the box must be positive");
    }
    return edges;
  }

  void compare_box(const StartFileOptions& options, const Vec3& edges) {
    if (!options.box) return;
    for (int axis = 0; axis < 3; ++axis) {
      if (std::abs(edges[axis] - (*options.box)[axis]) <= 1e-9 * edges[axis]) continue;
      header_.warnings.push_back(reader_.diagnostic(
          reader_.line(),
          fmt::format(
              "this box is not that of the input, {} x {} x {}, which is taken, as ls1 does",
              options.box->x, options.box->y, options.box->z),
          Severity::warning));
      return;
    }
  }

  void compare_components(std::string_view field) {
    const std::int64_t count = integer(reader_, field, "the number of components", 0, 1'000'000);
    if (count == component_count_) return;
    header_.warnings.push_back(
        reader_.diagnostic(field,
                           fmt::format("the input has {} component{}", component_count_,
                                       component_count_ == 1 ? "" : "s"),
                           Severity::warning));
  }

  void read_format() {
    if (!reader_.next()) fail_early_end(reader_, 0, header_.particle_count);
    Fields fields(reader_.line());
    const std::string_view word = fields.next();
    format_ = molecule_formats[0];
    if (word != "MoleculeFormat" && word != "M") {
      line_is_read_ = true;
      return;
    }
    const std::string_view name = fields.next();
    const auto format = molecule_format(name);
    if (!format) {
      reader_.fail(name, fmt::format("the format of molecules is {}; expected ICRVQD, ICRV, IRV or "
                                     "ICRVQDV",
                                     quote(name)));
    }
    format_ = *format;
    expect_end_of_line(reader_, fields, "the format of molecules");
  }

  ParticleRecord next_particle() override {
    // Blank lines mean nothing in ls1's files.
    do {
      if (!line_is_read_ && !reader_.next()) {
        fail_early_end(reader_, read_, header_.particle_count);
      }
      line_is_read_ = false;
    } while (is_blank_line(reader_.line()));
    ++read_;
    Fields fields(reader_.line());
    ParticleRecord record{};
    const std::string_view id = fields.next();
    record.id = integer(reader_, id, "the id of a molecule", 0, largest_id);
    if (!renumbers_ && !ids_.insert(record.id)) {
      reader_.fail(id, fmt::format("a second molecule of id {}", id));
    }
    if (format_.component) {
      const std::string_view component = fields.next();
      record.position.type =
          integer(reader_, component, "the component of a molecule", 1, component_count_) - 1;
    }
    Vec3 position;
    position.x = number(reader_, fields.next(), "the x coordinate");
    position.y = number(reader_, fields.next(), "the y coordinate");
    position.z = number(reader_, fields.next(), "the z coordinate");
    record.velocity = velocity(reader_, fields, 1.0);
    if (format_.rotation) read_rotation(fields, record);
    for (int column = 0; column < format_.ignored_columns; ++column) fields.next();
    expect_end_of_line(reader_, fields, fmt::format("the columns of {}", format_.name));
    frame_.place(reader_, position, record);
    return record;
  }

  void read_rotation(Fields& fields, ParticleRecord& record) {
    Quaternion& q = record.orientation;
    const std::string_view first = fields.next();
    q.w = number(reader_, first, "the orientation's qw");
    q.x = number(reader_, fields.next(), "the orientation's qx");
    q.y = number(reader_, fields.next(), "the orientation's qy");
    q.z = number(reader_, fields.next(), "the orientation's qz");
    if (!normalize_orientation(q)) {
      reader_.fail(first, "the quaternion of the orientation has no direction");
    }
    constexpr std::string_view names[3] = {"the angular momentum's x", "the angular momentum's y",
                                           "the angular momentum's z"};
    for (int axis = 0; axis < 3; ++axis) {
      record.angular_momentum[axis] = number(reader_, fields.next(), names[axis]);
    }
  }

  void check_end() override {
    if (!line_is_read_) expect_end_of_file(reader_, header_.particle_count);
  }

  LineReader reader_;
  std::int64_t component_count_;
  bool renumbers_;
  BoxFrame frame_;
  MoleculeFormat format_;
  bool line_is_read_ = false;  // no format line: the first molecule's line was read
  IdSet ids_;
  std::int64_t read_ = 0;
};

}  // namespace

std::unique_ptr<StartFileReader> open_ascii_phase_space(std::shared_ptr<const FileHandle> file,
                                                        const StartFileOptions& options) {
  return std::make_unique<AsciiPhaseSpaceReader>(std::move(file), options);
}

}  // namespace sterna::md::ls1
