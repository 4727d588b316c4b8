// Reads extended XYZ: the number of particles; a line of `key=value` with `Lattice="ax ay az bx by
// bz cx cy cz"` and `Properties=name:kind:columns:...`, which names the columns of the particles'
// lines. The reader uses species (or type), pos, velo, id and, for molecules, orient (a quaternion
// w, x, y, z from the body frame to the laboratory's) and angmom (laboratory frame); it ignores
// other columns.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/id_set.hpp"
#include "md/start/readers/line_pieces.hpp"
#include "md/start/readers/reader_table.hpp"
#include "md/start/readers/type_names.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, [&](char x, char y) { return lower(x) == lower(y); });
}

/// A `key=value` of the comment line without quotes. Both are views of the line, even if empty.
struct KeyedEntry {
  std::string_view key, value;
};

/// The entries of the comment line. Values may be quoted by " or ', or enclosed in { } or [ ]; a
/// key without value means true.
std::vector<KeyedEntry> entries_of(const LineReader& reader) {
  std::vector<KeyedEntry> entries;
  const std::string_view line = reader.line();
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < line.size() && Fields::is_blank(line[at])) ++at;
  };
  for (skip_blanks(); at < line.size(); skip_blanks()) {
    const std::size_t key_begin = at;
    if (line[at] == '"' || line[at] == '\'') {
      const std::size_t close = line.find(line[at], at + 1);
      if (close == std::string_view::npos) {
        reader.fail(line.substr(at, 1), "this quote is never closed");
      }
      at = close + 1;
      entries.push_back({line.substr(key_begin + 1, close - key_begin - 1), line.substr(at, 0)});
    } else {
      while (at < line.size() && line[at] != '=' && !Fields::is_blank(line[at])) ++at;
      entries.push_back({line.substr(key_begin, at - key_begin), line.substr(at, 0)});
    }
    const std::size_t key_end = at;
    skip_blanks();
    if (at == line.size() || line[at] != '=') {
      at = key_end;
      continue;
    }
    ++at;
    skip_blanks();
    const std::size_t value_begin = at;
    static constexpr std::string_view openers = "\"'{[", closers = "\"'}]";
    const std::size_t quote_kind =
        at < line.size() ? openers.find(line[at]) : std::string_view::npos;
    if (quote_kind == std::string_view::npos) {
      while (at < line.size() && !Fields::is_blank(line[at])) ++at;
      entries.back().value = line.substr(value_begin, at - value_begin);
      continue;
    }
    // Nested brackets, as in [[1, 0], [0, 1]], end with the outermost one.
    int depth = 0;
    for (; at < line.size(); ++at) {
      if (line[at] == '\\' && at + 1 < line.size()) {
        ++at;
      } else if (depth > 0 && line[at] == closers[quote_kind]) {
        if (--depth == 0) break;
      } else if (line[at] == openers[quote_kind]) {
        ++depth;
      }
    }
    if (at >= line.size()) {
      reader.fail(line.substr(value_begin, 1),
                  quote_kind < 2 ? "this quote is never closed" : "this bracket is never closed");
    }
    entries.back().value = line.substr(value_begin + 1, at - value_begin - 1);
    ++at;
  }
  return entries;
}

enum class XyzColumn { other, type, position, velocity, orientation, angular_momentum, id, more };

/// The quaternion in the next four fields, normalized.
Quaternion orientation(const LineReader& reader, Fields& fields) {
  Quaternion q;
  const std::string_view first = fields.next();
  q.w = number(reader, first, "w of an orientation");
  q.x = number(reader, fields.next(), "x of an orientation");
  q.y = number(reader, fields.next(), "y of an orientation");
  q.z = number(reader, fields.next(), "z of an orientation");
  if (!(std::abs(q.norm_squared() - 1.0) < 0.01)) {
    reader.fail(first, fmt::format("expected a unit quaternion (w, x, y, z); its length is {:.4g}",
                                   std::sqrt(q.norm_squared())));
  }
  return q.normalized();
}

class ExtendedXyzReader final : public StartFileReader {
 public:
  ExtendedXyzReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : reader_(std::move(file)),
        types_(options.type_names, options.type_section),
        velocity_unit_(options.units.to_internal(1.0, Dimension::velocity)),
        angular_momentum_unit_(velocity_unit_ * options.units.to_internal(1.0, Dimension::length) *
                               options.units.to_internal(1.0, Dimension::mass)) {
    reader_.next();
    Fields fields(reader_.line());
    header_.particle_count =
        integer(reader_, fields.next(), "the number of particles", 1, most_particles);
    expect_end_of_line(reader_, fields, "the number of particles");
    if (!reader_.next()) fail_early_end(reader_, 0, header_.particle_count);
    read_comment(options);
    header_.box = frame_.box();
    pieces_ = LinePieces(reader_, options.piece_bytes);
  }

  std::int64_t piece_count() const override { return pieces_.count(); }

 private:
  void read_comment(const StartFileOptions& options) {
    const KeyedEntry* lattice = nullptr;
    const KeyedEntry* origin = nullptr;
    const KeyedEntry* properties = nullptr;
    const std::vector<KeyedEntry> entries = entries_of(reader_);
    for (const KeyedEntry& entry : entries) {
      const auto take = [&](std::string_view key, const KeyedEntry*& place) {
        if (!equal_ignoring_case(entry.key, key)) return;
        if (place != nullptr) {
          reader_.fail(entry.key, fmt::format("{} is given a second time", key));
        }
        place = &entry;
      };
      take("Lattice", lattice);
      take("Origin", origin);
      take("Properties", properties);
      if (equal_ignoring_case(entry.key, "pbc")) check_periodic(entry);
    }
    if (lattice != nullptr) {
      frame_ = BoxFrame::of_edges(reader_, options, edges_of(*lattice),
                                  origin != nullptr ? origin_of(*origin) : Vec3{});
    } else {
      const auto typed = std::ranges::find_if(entries, [](const KeyedEntry& entry) {
        static constexpr std::array<std::string_view, 1> names{"Lattice"};
        return !entry.value.empty() && comm::nearest_name(entry.key, names).has_value();
      });
      if (typed != entries.end()) {
        reader_.fail(typed->key,
                     fmt::format("unknown key {}; did you mean \"Lattice\"?", quote(typed->key)));
      }
      frame_ = BoxFrame::of_input(reader_, options,
                                  "give Lattice=\"ax ay az bx by bz cx cy cz\" in this line");
    }
    if (properties != nullptr) {
      read_properties(*properties);
    } else {
      columns_ = {XyzColumn::type, XyzColumn::position, XyzColumn::more, XyzColumn::more};
    }
    if (std::ranges::find(columns_, XyzColumn::type) == columns_.end() && types_.count() != 1) {
      reader_.fail(properties->value,
                   fmt::format("the particles have no species:S:1, and the input has more than "
                               "one {}",
                               types_.section()));
    }
    const auto has = [this](XyzColumn column) {
      return std::ranges::find(columns_, column) != columns_.end();
    };
    header_.has_velocities = has(XyzColumn::velocity);
    header_.has_orientations = has(XyzColumn::orientation);
    header_.has_angular_momenta = has(XyzColumn::angular_momentum);
    header_.has_ids = has(XyzColumn::id);
  }

  void check_periodic(const KeyedEntry& entry) {
    Fields fields(entry.value);
    for (std::string_view field = fields.next(); !field.empty(); field = fields.next()) {
      if (field.find_first_of("Ff0") == std::string_view::npos) continue;
      header_.warnings.push_back(reader_.diagnostic(
          field, "the file says that the box is not periodic on every axis; the run will be",
          Severity::warning));
      return;
    }
  }

  std::array<Vec3, 3> edges_of(const KeyedEntry& lattice) {
    Fields fields(lattice.value);
    std::array<Vec3, 3> edges;
    for (std::size_t i = 0; i < 9; ++i) {
      const std::string_view word = fields.next();
      if (word.empty()) {
        reader_.fail(lattice.value, fmt::format("expected nine numbers in Lattice, the vectors a, "
                                                "b, c of the cell; found {}",
                                                i));
      }
      edges[i / 3][static_cast<int>(i % 3)] = number(reader_, word, "a component of Lattice");
    }
    const std::string_view extra = fields.next();
    if (!extra.empty()) {
      reader_.fail(extra, fmt::format("expected the end of Lattice after nine numbers; found {}",
                                      quote(extra)));
    }
    return edges;
  }

  Vec3 origin_of(const KeyedEntry& entry) {
    Fields fields(entry.value);
    Vec3 origin;
    for (int axis = 0; axis < 3; ++axis) {
      origin[axis] = number(reader_, fields.next(), "a component of Origin");
    }
    return origin;
  }

  /// Sets `columns_` from name:kind:count triples.
  void read_properties(const KeyedEntry& properties) {
    std::vector<std::string_view> parts;
    std::string_view left = properties.value;
    for (;;) {
      const std::size_t colon = left.find(':');
      parts.push_back(left.substr(0, colon));
      if (colon == std::string_view::npos) break;
      left.remove_prefix(colon + 1);
    }
    if (parts.size() % 3 != 0) {
      reader_.fail(properties.value,
                   "expected Properties=name:kind:columns:..., as in species:S:1:pos:R:3");
    }
    constexpr std::int64_t most_columns = 1000;
    for (std::size_t i = 0; i < parts.size(); i += 3) {
      const std::string_view name = parts[i], kind = parts[i + 1];
      if (kind != "S" && kind != "R" && kind != "I" && kind != "L") {
        reader_.fail(kind.empty() ? name : kind,
                     fmt::format("the kind of a property is S, R, I or L, not {}", quote(kind)));
      }
      add_property(
          name, kind,
          integer(reader_, parts[i + 2], "the number of columns of a property", 1, most_columns));
      if (columns_.size() > static_cast<std::size_t>(most_columns)) {
        reader_.fail(name, fmt::format("there are more than {} columns", most_columns));
      }
    }
    if (std::ranges::find(columns_, XyzColumn::position) == columns_.end()) {
      reader_.fail(properties.value, "expected positions, pos:R:3, among the properties");
    }
  }

  /// Adds the columns of one property.
  void add_property(std::string_view name, std::string_view kind, std::int64_t count) {
    const auto add = [&](XyzColumn column, std::int64_t width, std::string_view kinds) {
      if (count != width || kinds.find(kind[0]) == std::string_view::npos) {
        reader_.fail(name, fmt::format("expected {}:{}:{}, not {}:{}:{}", name, kinds[0], width,
                                       name, kind, count));
      }
      if (std::ranges::find(columns_, column) != columns_.end()) {
        reader_.fail(name, fmt::format("a second column for {}", quote(name)));
      }
      columns_.push_back(column);
      columns_.insert(columns_.end(), static_cast<std::size_t>(width - 1), XyzColumn::more);
    };
    if (name == "species" || name == "type") {
      add(XyzColumn::type, 1, "SI");
    } else if (name == "pos" || name == "positions") {
      add(XyzColumn::position, 3, "RI");
    } else if (name == "velo" || name == "vel" || name == "velocity" || name == "velocities") {
      add(XyzColumn::velocity, 3, "RI");
    } else if (name == "orient") {
      add(XyzColumn::orientation, 4, "RI");
    } else if (name == "angmom") {
      add(XyzColumn::angular_momentum, 3, "RI");
    } else if (name == "id") {
      add(XyzColumn::id, 1, "I");
    } else {
      warn_of_unread(name);
      columns_.insert(columns_.end(), static_cast<std::size_t>(count), XyzColumn::other);
    }
  }

  /// Warns of a property that says something about particles and that is not read.
  void warn_of_unread(std::string_view name) {
    const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
    const auto warn = [&](const std::string& message) {
      header_.warnings.push_back(reader_.diagnostic(name, message, Severity::warning));
    };
    if (is_one_of("orientation", "quaternion")) {
      warn(
          fmt::format("{} is not read, since programs differ in the order of its components; "
                      "orient:R:4 is (w, x, y, z)",
                      name));
    } else if (is_one_of("momenta", "momentum")) {
      warn("momenta are not read; velocities are, as velo:R:3");
    } else if (is_one_of("mass", "masses", "charge", "charges", "initial_charges", "q", "molid",
                         "mol")) {
      warn(fmt::format("{} is not read; what the input says holds", name));
    }
  }

  ParticleRecord next_particle() override {
    if (!reader_.next()) fail_early_end(reader_, read_, header_.particle_count);
    std::string_view id_field;
    ParticleRecord record = particle_of_line(id_field);
    ++read_;
    if (!header_.has_ids) {
      record.id = read_;
    } else if (!ids_.insert(record.id)) {
      reader_.fail(id_field, fmt::format("a second particle of id {}", record.id));
    }
    return record;
  }

  void append_piece(std::int64_t piece, std::vector<ParticleRecord>& records) override {
    std::string_view id_field;
    pieces_.for_each_line(reader_, piece, [&] { records.push_back(particle_of_line(id_field)); });
  }

  ParticleRecord particle_of_line(std::string_view& id_field) {
    Fields fields(reader_.line());
    ParticleRecord record{};
    Vec3 position;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      switch (columns_[column]) {
        case XyzColumn::type:
          record.position.type = types_.find(reader_, fields.next());
          break;
        case XyzColumn::position:
          position.x = number(reader_, fields.next(), "the x coordinate");
          position.y = number(reader_, fields.next(), "the y coordinate");
          position.z = number(reader_, fields.next(), "the z coordinate");
          break;
        case XyzColumn::velocity:
          record.velocity = velocity(reader_, fields, velocity_unit_);
          break;
        case XyzColumn::orientation:
          record.orientation = orientation(reader_, fields);
          break;
        case XyzColumn::angular_momentum:
          for (int axis = 0; axis < 3; ++axis) {
            record.angular_momentum[axis] =
                angular_momentum_unit_ *
                number(reader_, fields.next(), "a component of an angular momentum");
          }
          break;
        case XyzColumn::more:  // read with the first column of the property
          break;
        case XyzColumn::id:
          id_field = fields.next();
          record.id = integer(reader_, id_field, "the id of a particle", 0, largest_id);
          break;
        case XyzColumn::other: {
          const std::string_view field = fields.next();
          if (field.empty()) {
            reader_.fail(field, fmt::format("expected {} columns, as Properties has them; found {}",
                                            columns_.size(), column));
          }
        }
      }
    }
    expect_end_of_line(reader_, fields, "the columns that Properties has");
    frame_.place(reader_, position, record);
    frame_.turn(record);
    return record;
  }
  void check_end() override { expect_end_of_file(reader_, header_.particle_count); }

  LineReader reader_;
  TypeNames types_;
  double velocity_unit_, angular_momentum_unit_;
  BoxFrame frame_;
  LinePieces pieces_;
  std::vector<XyzColumn> columns_;
  IdSet ids_;
  std::int64_t read_ = 0;
};

bool contains_word(std::string_view line, std::string_view lower_case_word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found =
      std::search(line.begin(), line.end(), lower_case_word.begin(), lower_case_word.end(),
                  [&](char a, char b) { return lower(a) == b; });
  return found != line.end();
}

bool recognizes_extxyz(std::string_view first, std::string_view second) {
  return is_one_integer(first) && is_comment_of_extended_xyz(second);
}

}  // namespace

bool is_comment_of_extended_xyz(std::string_view line) {
  return contains_word(line, "lattice=") || contains_word(line, "properties=");
}

StartReaderRow start_reader::extxyz() {
  return {.name = "extxyz",
          .sentence = "extended XYZ",
          .looks_like = "extended XYZ (with `Lattice=` or `Properties=` in the second line)",
          .recognizes = recognizes_extxyz,
          .open = open_reader<ExtendedXyzReader>};
}

}  // namespace sterna::md
