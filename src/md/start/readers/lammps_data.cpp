// Reads LAMMPS data files: a title line, header lines such as `1000 atoms`, `0 10.5 xlo xhi`, `1 0
// 0 xy xz yz` or `10 2 1 avec`, then sections: Masses, Atoms (`id type x y z [ix iy iz]` in the
// atom style "atomic"), Velocities (`id vx vy vz`). Molecules and charges are ignored, because the
// input gives them. `#` begins a comment. https://docs.lammps.org/read_data.html

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/id_set.hpp"
#include "md/start/readers/reader_table.hpp"
#include "md/start/readers/type_names.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

constexpr std::string_view masses_section = "Masses";
constexpr std::string_view labels_section = "Atom Type Labels";
constexpr std::string_view atoms_section = "Atoms";
constexpr std::string_view velocities_section = "Velocities";

constexpr std::array<std::string_view, 4> read_sections{masses_section, labels_section,
                                                        atoms_section, velocities_section};
/// The columns before the coordinates of an atom.
struct AtomStyle {
  std::string_view name;
  std::string_view columns;  ///< for messages
  int type;                  ///< index of the type's column
  int x;
  bool has_charges;
};
constexpr std::array<AtomStyle, 6> atom_styles{{{"atomic", "id type", 1, 2, false},
                                                {"charge", "id type charge", 1, 3, true},
                                                {"bond", "id molecule type", 2, 3, false},
                                                {"angle", "id molecule type", 2, 3, false},
                                                {"molecular", "id molecule type", 2, 3, false},
                                                {"full", "id molecule type charge", 2, 4, true}}};

/// Sections of interaction parameters, ignored because the input gives them.
constexpr std::array<std::string_view, 2> pair_sections{"Pair Coeffs", "PairIJ Coeffs"};
/// Sections of molecules, ignored because the input gives them.
constexpr std::array<std::string_view, 12> molecule_sections{"Bonds",
                                                             "Angles",
                                                             "Dihedrals",
                                                             "Impropers",
                                                             "Bond Coeffs",
                                                             "Angle Coeffs",
                                                             "Dihedral Coeffs",
                                                             "Improper Coeffs",
                                                             "Bond Type Labels",
                                                             "Angle Type Labels",
                                                             "Dihedral Type Labels",
                                                             "Improper Type Labels"};
/// Sections of atom styles that are not supported.
constexpr std::array<std::string_view, 15> other_sections{"Ellipsoids",
                                                          "Lines",
                                                          "Triangles",
                                                          "Bodies",
                                                          "BondBond Coeffs",
                                                          "BondAngle Coeffs",
                                                          "MiddleBondTorsion Coeffs",
                                                          "EndBondTorsion Coeffs",
                                                          "AngleTorsion Coeffs",
                                                          "AngleAngleTorsion Coeffs",
                                                          "BondBond13 Coeffs",
                                                          "AngleAngle Coeffs",
                                                          "Molecules",
                                                          "Special Bonds",
                                                          "Types"};
/// Header counts of extended particles, which are not supported.
constexpr std::array<std::string_view, 4> body_counts{"ellipsoids", "lines", "triangles", "bodies"};
/// Header counts that are ignored.
constexpr std::array<std::string_view, 13> passed_counts{"bonds",
                                                         "angles",
                                                         "dihedrals",
                                                         "impropers",
                                                         "bond types",
                                                         "angle types",
                                                         "dihedral types",
                                                         "improper types",
                                                         "extra bond per atom",
                                                         "extra angle per atom",
                                                         "extra dihedral per atom",
                                                         "extra improper per atom",
                                                         "extra special per atom"};
constexpr std::array<std::string_view, 3> bounds{"xlo xhi", "ylo yhi", "zlo zhi"};
/// Header lines of a cell with arbitrary axes, instead of bounds and tilts.
constexpr std::array<std::string_view, 4> edge_vectors{"avec", "bvec", "cvec", "abc origin"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find('#'));
}

std::string_view comment_of(std::string_view line) {
  const std::size_t hash = line.find('#');
  return hash == std::string_view::npos ? std::string_view() : Fields(line.substr(hash + 1)).rest();
}

/// The words of a text, separated by single spaces.
std::string words_of(std::string_view text) {
  Fields fields(text);
  std::string words;
  for (std::string_view field = fields.next(); !field.empty(); field = fields.next()) {
    if (!words.empty()) words += ' ';
    words += field;
  }
  return words;
}

int columns_in(std::string_view line) {
  Fields fields(line);
  int columns = 0;
  while (!fields.next().empty()) ++columns;
  return columns;
}

bool begins_number(std::string_view field) {
  const char c = field.empty() ? '\0' : field[0];
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

/// A hint such as "; did you mean "Atoms"?", or an empty text.
std::string nearest_of(std::string_view typed, const std::vector<std::string_view>& names) {
  const auto nearest = comm::nearest_name(typed, names);
  return nearest ? fmt::format("; did you mean {}?", quote(*nearest)) : std::string();
}

/// Moves to the next line that is not only a comment; false at the end of the file.
bool next_data_line(LineReader& reader) {
  while (reader.next()) {
    const std::string_view field = Fields(reader.line()).next();
    if (!field.empty() && field[0] != '#') return true;
  }
  return false;
}

/// Velocities by id. They are read along with the atoms if the file lists both in the same order;
/// at the first difference a table of all is made.
class Velocities {
 public:
  /// `start`: the place before the first of `count` lines.
  Velocities(std::shared_ptr<const FileHandle> file, const LineReader::Mark& start,
             std::int64_t count, double unit)
      : reader_(std::move(file)), start_(start), count_(count), unit_(unit) {
    reader_.go_to(start_);
  }

  /// The velocity of the atom `id`, called once for each atom. `atoms` is at the atom's line, in
  /// which `field` is its id.
  Vec3 of(const LineReader& atoms, std::string_view field, std::int64_t id) {
    if (table_.empty()) {
      const Entry entry = read_entry();
      if (entry.id == id) return entry.velocity;
      make_table();
    }
    // In most files the ids are 1 ... N, so this place is tried first.
    const std::int64_t guess = id - table_.front().id;
    if (guess >= 0 && guess < count_) {
      const Entry& entry = table_[static_cast<std::size_t>(guess)];
      if (entry.id == id) return entry.velocity;
    }
    const auto found = std::ranges::lower_bound(table_, id, {}, &Entry::id);
    if (found == table_.end() || found->id != id) {
      atoms.fail(field, fmt::format("atom {} has no line in the section \"Velocities\"", id));
    }
    return found->velocity;
  }

 private:
  struct Entry {
    std::int64_t id;
    Vec3 velocity;
  };

  Entry read_entry() {
    next_data_line(reader_);
    Fields fields(without_comment(reader_.line()));
    Entry entry{integer(reader_, fields.next(), "the id of an atom", 1, largest_id), {}};
    entry.velocity = velocity(reader_, fields, unit_);
    expect_end_of_line(reader_, fields, "`id vx vy vz`");
    return entry;
  }

  void make_table() {
    reader_.go_to(start_);
    IdSet ids;
    for (std::int64_t i = 0; i < count_; ++i) {
      table_.push_back(read_entry());
      if (!ids.insert(table_.back().id)) {
        reader_.fail(Fields(reader_.line()).next(),
                     fmt::format("a second velocity of atom {}", table_.back().id));
      }
    }
    std::ranges::sort(table_, {}, &Entry::id);
  }

  LineReader reader_;
  LineReader::Mark start_;
  std::int64_t count_;
  double unit_;
  std::vector<Entry> table_;
};

class LammpsDataReader final : public StartFileReader {
 public:
  LammpsDataReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : file_(std::move(file)),
        reader_(file_),
        options_(options),
        types_(options.type_names, options.type_section) {
    reader_.next();  // skips the title
    bool more = read_header();
    while (more) more = read_section();
    if (!atoms_start_) reader_.fail("expected the section \"Atoms\"; found the end of the file");
    check_type_count();
    check_masses();
    reader_.go_to(*atoms_start_);
  }

 private:
  /// Reads up to the line where the first section begins; false if there is none.
  bool read_header() {
    bool more = next_data_line(reader_);
    for (; more; more = next_data_line(reader_)) {
      const std::string_view line = without_comment(reader_.line());
      Fields fields(line);
      std::vector<std::string_view> values;
      std::string_view field = fields.next();
      for (; begins_number(field) && values.size() < 4; field = fields.next()) {
        values.push_back(field);
      }
      if (values.empty()) break;
      if (field.empty()) {
        reader_.fail(values[0], "expected a header line, as in \"1000 atoms\", or a section");
      }
      const auto place = static_cast<std::size_t>(field.data() - line.data());
      read_header_line(values, Fields(line.substr(place)).rest());
    }
    if (header_.particle_count == 0) {
      reader_.fail("expected a header line with the number of atoms, as in \"1000 atoms\"");
    }
    frame_ = frame();
    header_.box = frame_.box();
    return more;
  }

  BoxFrame frame() const {
    if (std::ranges::any_of(vectors_, [](const auto& vector) { return vector.has_value(); })) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (!vectors_[k]) {
          reader_.fail(
              fmt::format("expected a header line `{}` with an edge of the box", edge_vectors[k]));
        }
      }
      return BoxFrame::of_edges(reader_, options_, {*vectors_[0], *vectors_[1], *vectors_[2]},
                                vectors_[3].value_or(Vec3{}));
    }
    Box box;
    Vec3 corner;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!lower_[axis]) {
        reader_.fail(
            fmt::format("expected a header line `{}` with the bounds of the box", bounds[axis]));
      }
      corner[static_cast<int>(axis)] = *lower_[axis];
      box.length[static_cast<int>(axis)] = *upper_[axis] - *lower_[axis];
    }
    box.tilt = tilt_;
    return BoxFrame::of_file(reader_, options_, box, corner);
  }

  void read_header_line(const std::vector<std::string_view>& values, std::string_view name_part) {
    const std::string name = words_of(name_part);
    const auto expect_values = [&](std::size_t count) {
      if (values.size() == count) return;
      reader_.fail(values[0], fmt::format("expected {} number{} before {}, not {}", count,
                                          count == 1 ? "" : "s", quote(name), values.size()));
    };
    if (name == "atoms") {
      expect_values(1);
      header_.particle_count =
          integer(reader_, values[0], "the number of atoms", 1, most_particles);
    } else if (name == "atom types") {
      expect_values(1);
      atom_types_ = integer(reader_, values[0], "the number of atom types", 1, 1 << 20);
      types_place_ = reader_.diagnostic(values[0], "", Severity::warning);
    } else if (contains(bounds, name)) {
      expect_values(2);
      const auto axis = static_cast<std::size_t>(name[0] - 'x');
      lower_[axis] = number(reader_, values[0], "the lower bound of the box");
      upper_[axis] = number(reader_, values[1], "the upper bound of the box");
      if (!(*upper_[axis] > *lower_[axis])) {
        reader_.fail(values[1], "the upper bound of the box must be above the lower one");
      }
    } else if (name == "xy xz yz") {
      expect_values(3);
      tilt_ = {number(reader_, values[0], "a tilt of the box"),
               number(reader_, values[1], "a tilt of the box"),
               number(reader_, values[2], "a tilt of the box")};
    } else if (contains(edge_vectors, name)) {
      expect_values(3);
      const auto vector = std::ranges::find(edge_vectors, name) - edge_vectors.begin();
      Vec3& edge = vectors_[static_cast<std::size_t>(vector)].emplace();
      for (std::size_t k = 0; k < 3; ++k) {
        edge[static_cast<int>(k)] = number(reader_, values[k], "a component of the box");
      }
    } else if (contains(body_counts, name)) {
      expect_values(1);
      if (integer(reader_, values[0], "the number before a header keyword", 0, most_particles) !=
          0) {
        reader_.fail(values[0], fmt::format("the file has {}; only points are read", name));
      }
    } else if (!contains(passed_counts, name)) {
      std::vector<std::string_view> names{"atoms", "atom types", "xy xz yz"};
      names.insert(names.end(), bounds.begin(), bounds.end());
      names.insert(names.end(), edge_vectors.begin(), edge_vectors.end());
      names.insert(names.end(), body_counts.begin(), body_counts.end());
      names.insert(names.end(), passed_counts.begin(), passed_counts.end());
      reader_.fail(name_part, fmt::format("unknown header keyword {}{}", quote(name),
                                          nearest_of(name, names)));
    }
  }

  /// Reads from the line with the section's name to the next such line; false at the end of the
  /// file.
  bool read_section() {
    const std::string_view line = reader_.line();
    const std::string_view name_part = Fields(without_comment(line)).rest();
    const std::string name = words_of(name_part);
    if (contains(sections_, name)) {
      reader_.fail(name_part, fmt::format("a second section {}", quote(name)));
    }
    if (contains(pair_sections, name)) {
      pass_over(name_part, fmt::format("the section {} is not read; [[type]] and [[pair]] of the "
                                       "input hold",
                                       quote(name)));
    } else if (contains(molecule_sections, name)) {
      pass_over(name_part, fmt::format("the section {} is not read; [[molecule]]s of the input "
                                       "hold, which `sterna import` makes from it",
                                       quote(name)));
    } else if (!contains(read_sections, name)) {
      fail_section(name_part, name);
    }
    sections_.push_back(name);
    if (name == atoms_section) {
      find_style(comment_of(line));
      atoms_start_ = skip_lines(header_.particle_count);
    } else if (name == velocities_section) {
      velocities_.emplace(file_, skip_lines(header_.particle_count), header_.particle_count,
                          options_.units.to_internal(1.0, Dimension::velocity));
      header_.has_velocities = true;
    } else if (name == masses_section) {
      for (std::int64_t i = 0; i < atom_types_; ++i) read_mass(i);
    } else if (name == labels_section) {
      for (std::int64_t i = 0; i < atom_types_; ++i) read_label(i);
    } else {
      while (next_data_line(reader_)) {
        if (!begins_number(Fields(reader_.line()).next())) return true;
      }
      return false;
    }
    return next_data_line(reader_);
  }

  void pass_over(std::string_view place, std::string message) {
    header_.warnings.push_back(reader_.diagnostic(place, std::move(message), Severity::warning));
  }

  /// Finds the atom style named after "Atoms #".
  void find_style(std::string_view name) {
    if (name.empty()) return;
    const auto style = std::ranges::find(atom_styles, name, &AtomStyle::name);
    if (style == atom_styles.end()) {
      std::string names;
      for (const AtomStyle& known : atom_styles) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
      }
      reader_.fail(
          name, fmt::format("atom style {} is not read; expected one of {}", quote(name), names));
    }
    style_ = *style;
    has_hint_ = true;
    if (!style_.has_charges) return;
    pass_over(name,
              "charges are not read; those of [[type]] and [[molecule.atom]] of the input hold");
  }

  /// Skips the lines of the current section; returns the place of the first.
  LineReader::Mark skip_lines(std::int64_t count) {
    LineReader::Mark start{};
    for (std::int64_t i = 0; i < count; ++i) {
      if (!next_data_line(reader_) || !begins_number(Fields(reader_.line()).next())) {
        fail_short_section(i, count);
      }
      if (i == 0) start = reader_.mark();
    }
    return start;
  }

  void read_mass(std::int64_t i) {
    if (!next_data_line(reader_)) fail_short_section(i, atom_types_);
    Fields fields(without_comment(reader_.line()));
    const std::string_view type = fields.next();
    if (!begins_number(type) && !contains(labels_, type)) fail_short_section(i, atom_types_);
    const std::int64_t place =
        begins_number(type)
            ? integer(reader_, type, "the type of a mass", 1, atom_types_) - 1
            : static_cast<std::int64_t>(std::ranges::find(labels_, type) - labels_.begin());
    const std::string_view field = fields.next();
    const double mass = number(reader_, field, "the mass of a type");
    if (!(mass > 0.0)) reader_.fail(field, "a mass must be positive");
    expect_end_of_line(reader_, fields, "`type mass`");
    if (place < types_.count() || !labels_.empty()) {
      masses_.push_back({place, mass, reader_.diagnostic(field, "", Severity::warning)});
    }
  }

  void read_label(std::int64_t i) {
    if (!next_data_line(reader_) || !begins_number(Fields(reader_.line()).next())) {
      fail_short_section(i, atom_types_);
    }
    Fields fields(without_comment(reader_.line()));
    const auto place = static_cast<std::size_t>(
        integer(reader_, fields.next(), "the number of a type", 1, atom_types_) - 1);
    const std::string_view label = fields.next();
    if (label.empty()) reader_.fail(label, "expected the label of a type");
    expect_end_of_line(reader_, fields, "`type label`");
    if (labels_.size() <= place) labels_.resize(place + 1);
    labels_[place] = label;
  }

  /// Warns if the file numbers its types and has more or fewer types than the input.
  void check_type_count() {
    if (!types_place_ || !labels_.empty() || atom_types_ == types_.count()) return;
    types_place_->message = fmt::format(
        "the file has {} atom type{}, but the input has {} {} section{}: the first {} of both are "
        "taken for the same",
        atom_types_, atom_types_ == 1 ? "" : "s", types_.count(), types_.section(),
        types_.count() == 1 ? "" : "s", std::min(atom_types_, types_.count()));
    header_.warnings.push_back(std::move(*types_place_));
  }

  /// Warns of masses that differ from the input's.
  void check_masses() {
    for (Mass& mass : masses_) {
      std::string_view label;
      if (!labels_.empty()) {
        if (mass.place >= static_cast<std::int64_t>(labels_.size())) continue;
        label = labels_[static_cast<std::size_t>(mass.place)];
      }
      const auto& names = options_.type_names;
      const auto type = static_cast<std::size_t>(
          labels_.empty() ? mass.place : std::ranges::find(names, label) - names.begin());
      if (type >= std::min(names.size(), options_.type_masses.size())) continue;
      const double here = options_.units.to_internal(mass.mass, Dimension::mass);
      const double input = options_.type_masses[type];
      if (std::abs(here - input) <= 1e-4 * input) continue;
      mass.place_in_file.message = fmt::format(
          "the file has a mass of {:.6g} here, but the input's type {} has {:.6g}, which holds",
          mass.mass, quote(names[type]), options_.units.from_internal(input, Dimension::mass));
      header_.warnings.push_back(std::move(mass.place_in_file));
    }
    masses_.clear();
  }

  [[noreturn]] void fail_short_section(std::int64_t lines, std::int64_t expected) const {
    reader_.fail(Fields(reader_.line()).rest(),
                 fmt::format("the section {} ends after {} of {} lines", quote(sections_.back()),
                             lines, expected));
  }

  [[noreturn]] void fail_section(std::string_view part, const std::string& name) const {
    if (begins_number(name)) {
      reader_.fail(part, fmt::format("expected a section or the end of the file after the last "
                                     "line of {}; found {}",
                                     sections_.empty() ? "the header" : quote(sections_.back()),
                                     quote(name)));
    }
    if (contains(other_sections, name)) {
      reader_.fail(part, fmt::format("the section {} is of a style that is not read", quote(name)));
    }
    std::vector<std::string_view> names(read_sections.begin(), read_sections.end());
    names.insert(names.end(), pair_sections.begin(), pair_sections.end());
    names.insert(names.end(), molecule_sections.begin(), molecule_sections.end());
    std::string hint = nearest_of(name, names);
    if (hint.empty()) hint = "; expected \"Masses\", \"Atoms\" or \"Velocities\"";
    reader_.fail(part, fmt::format("unknown section {}{}", quote(name), hint));
  }

  std::int64_t type_of(std::string_view field) const {
    if (!begins_number(field)) return types_.find(reader_, field);
    const std::int64_t number =
        integer(reader_, field, "the type of an atom", 1,
                atom_types_ > 0 ? atom_types_ : std::max<std::int64_t>(1, types_.count()));
    if (labels_.empty()) return types_.find_number(reader_, field);
    if (number > static_cast<std::int64_t>(labels_.size()) ||
        labels_[static_cast<std::size_t>(number - 1)].empty()) {
      reader_.fail(field, fmt::format("type {} has no label in \"{}\"", number, labels_section));
    }
    return types_.find(reader_, labels_[static_cast<std::size_t>(number - 1)], field);
  }

  std::int32_t read_flag(std::string_view field) const {
    constexpr auto farthest = static_cast<std::int64_t>(BoxFrame::farthest);
    return static_cast<std::int32_t>(integer(reader_, field, "an image flag", -farthest, farthest));
  }

  ParticleRecord next_particle() override {
    next_data_line(reader_);
    Fields fields(without_comment(reader_.line()));
    ParticleRecord record{};
    const std::string_view id = fields.next();
    record.id = integer(reader_, id, "the id of an atom", 1, largest_id);
    if (!ids_.insert(record.id)) {
      reader_.fail(id, fmt::format("a second atom of id {}", record.id));
    }
    for (int column = 1; column < style_.x; ++column) {
      const std::string_view field = fields.next();
      if (column == style_.type) {
        record.position.type = type_of(field);
      } else if (column < style_.type) {
        integer(reader_, field, "the molecule of an atom", 0, largest_id);
      } else {
        number(reader_, field, "the charge");
      }
    }
    Vec3 position;
    position.x = number(reader_, fields.next(), "the x coordinate");
    position.y = number(reader_, fields.next(), "the y coordinate");
    position.z = number(reader_, fields.next(), "the z coordinate");
    const std::string_view flag = fields.next();
    if (!flag.empty()) {
      const int expected = style_.x + 3;
      if (const int columns = columns_in(without_comment(reader_.line()));
          columns != expected + 3) {
        reader_.fail(fmt::format(
            "expected {} columns, `{} x y z`, or {} with image flags, as atom style {} has them; "
            "found {}{}",
            expected, style_.columns, expected + 3, quote(style_.name), columns,
            has_hint_ ? "" : "; another style is named behind \"Atoms\", as in \"Atoms # full\""));
      }
      record.image.x = read_flag(flag);
      record.image.y = read_flag(fields.next());
      record.image.z = read_flag(fields.next());
    }
    frame_.place(reader_, position, record);
    if (velocities_) record.velocity = velocities_->of(reader_, id, record.id);
    frame_.turn(record);
    return record;
  }
  // The sections behind the atoms were checked when the file was opened.
  void check_end() override {}

  struct Mass {
    std::int64_t place;  ///< type number - 1
    double mass;
    Diagnostic place_in_file;
  };

  std::shared_ptr<const FileHandle> file_;
  LineReader reader_;
  StartFileOptions options_;
  TypeNames types_;
  AtomStyle style_ = atom_styles[0];
  bool has_hint_ = false;
  std::int64_t atom_types_ = 0;
  std::optional<Diagnostic> types_place_;  ///< of the number of types, in the header
  std::array<std::optional<double>, 3> lower_, upper_;
  Tilt tilt_;
  std::array<std::optional<Vec3>, 4> vectors_;  ///< a, b, c and the origin
  std::vector<std::string> sections_;           ///< names of sections found so far
  std::vector<std::string> labels_;             ///< of the types, if the file has them
  std::vector<Mass> masses_;
  std::optional<LineReader::Mark> atoms_start_;
  std::optional<Velocities> velocities_;
  BoxFrame frame_;
  IdSet ids_;
};

/// Whether the line is like "1000 atoms" in a header.
bool is_atoms_line(std::string_view line) {
  Fields fields(line);
  std::int64_t value = 0;
  return parse_integer(fields.next(), value) && fields.next() == "atoms";
}

}  // namespace

StartReaderRow start_reader::lammps() {
  return {.name = "lammps",
          .sentence = "LAMMPS data (atom styles atomic, charge, bond, angle, molecular, full)",
          .looks_like = "LAMMPS data (a header line such as \"1000 atoms\")",
          .aliases = {"data"},
          .recognizes_later = is_atoms_line,
          .open = open_reader<LammpsDataReader>};
}

}  // namespace sterna::md
