#include "md/start/readers/start_file_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/input/foreign_files.hpp"
#include "md/start/readers/formats.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

struct Format {
  std::string_view name;
  std::unique_ptr<StartFileReader> (*open)(std::shared_ptr<const FileHandle>,
                                           const StartFileOptions&);
};

constexpr std::array<Format, 5> formats{{{"xyz", open_xyz},
                                         {"extxyz", open_extended_xyz},
                                         {"lammps", open_lammps_data},
                                         {"nist", open_nist},
                                         {"ls1", open_ls1}}};

bool contains_word(std::string_view line, std::string_view lower_case_word) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found =
      std::search(line.begin(), line.end(), lower_case_word.begin(), lower_case_word.end(),
                  [&](char a, char b) { return lower(a) == b; });
  return found != line.end();
}

/// Whether all fields of the line are numbers, and how many; -1 where one is none.
int numbers_in(std::string_view line) {
  Fields fields(line);
  int count = 0;
  double value = 0.0;
  for (std::string_view field = fields.next(); !field.empty(); field = fields.next(), ++count) {
    if (!parse_number(field, value)) return -1;
  }
  return count;
}

bool is_one_integer(std::string_view line) {
  Fields fields(line);
  std::int64_t value = 0;
  return parse_integer(fields.next(), value) && fields.next().empty();
}

/// "1000 atoms", as the header of a LAMMPS file has it.
bool is_atoms_line(std::string_view line) {
  Fields fields(line);
  std::int64_t value = 0;
  return parse_integer(fields.next(), value) && fields.next() == "atoms";
}

/// "mardyn trunk 20120726" of a phase space, or XML.
bool is_ls1_line(std::string_view line) {
  const std::string_view word = Fields(line).next();
  return word == "mardyn" || word.starts_with("<?xml") || word.starts_with("<mardyn");
}

std::string_view format_by_content(const std::shared_ptr<const FileHandle>& file) {
  LineReader reader(file);
  reader.next();
  const std::string first(reader.line());
  const bool has_second = reader.next();
  if (is_one_integer(first)) {
    const std::string_view second = reader.line();
    return contains_word(second, "lattice=") || contains_word(second, "properties=") ? "extxyz"
                                                                                     : "xyz";
  }
  if (is_ls1_line(first)) return "ls1";
  if (numbers_in(first) == 3 && is_one_integer(reader.line())) return "nist";
  bool more = has_second;
  for (int line = 0; more && line < 100; ++line, more = reader.next()) {
    if (is_atoms_line(reader.line())) return "lammps";
  }
  LineReader start(file);
  start.next();
  start.fail(
      "this is none of the formats that start files may have: XYZ or extended XYZ (a first line "
      "with the number of particles), LAMMPS data (a header line such as \"1000 atoms\"), NIST "
      "(three box edges, then the number of particles), ls1-MarDyn (a first line such as `mardyn "
      "trunk 20120726`)");
}

}  // namespace

std::unique_ptr<StartFileReader> StartFileReader::open(const std::string& path,
                                                       const StartFileOptions& options) {
  const auto file =
      std::make_shared<const FileHandle>(path, options.file_place ? &*options.file_place : nullptr);
  if (const auto foreign = foreign_file_advice(path); foreign && options.format == "auto") {
    Diagnostic diagnostic;
    diagnostic.file = path;
    if (options.file_place) diagnostic = *options.file_place;
    diagnostic.severity = Severity::error;
    diagnostic.message = fmt::format("the start file {} {}", quote(path), *foreign);
    throw StartFileError(std::move(diagnostic));
  }
  const std::string_view name =
      options.format == "auto" ? format_by_content(file) : std::string_view(options.format);
  const auto* format = std::ranges::find(formats, name, &Format::name);
  if (format == formats.end()) {
    std::vector<std::string_view> names{"auto"};
    for (const Format& known : formats) names.push_back(known.name);
    const auto nearest = comm::nearest_name(name, names);
    Diagnostic diagnostic;
    diagnostic.file = path;
    diagnostic.message = fmt::format("unknown format {}; {}", quote(name),
                                     nearest ? fmt::format("did you mean {}?", quote(*nearest))
                                             : "expected auto, xyz, extxyz, lammps, nist or ls1");
    throw StartFileError(std::move(diagnostic));
  }
  auto reader = format->open(file, options);
  if (!options.tilt.none() && reader->header_.box.tilt.none()) {
    Diagnostic diagnostic;
    if (options.tilt_place) diagnostic = *options.tilt_place;
    diagnostic.severity = Severity::error;
    diagnostic.message = fmt::format(
        "the input's box is triclinic, but that of the start file {} is not", quote(path));
    throw StartFileError(std::move(diagnostic));
  }
  reader->header_.format = std::string(name);
  reader->renumbers_ = reader->renumbers_ || options.renumber;
  return reader;
}

std::unique_ptr<StartFileReader> StartFileReader::open(const Input& input) {
  StartFileOptions options;
  options.format = input.start.format;
  options.units = input.units;
  options.renumber = input.start.renumber;
  options.seed = input.run.seed;
  for (const Input::Type& type : input.types) {
    options.type_names.push_back(type.name);
    options.type_masses.push_back(type.mass);
  }
  for (const Input::Component& component : input.components) {
    options.type_names.push_back(component.name);
    double& mass = options.type_masses.emplace_back(0.0);
    for (const Input::Site& site : component.sites) mass += site.mass;
  }
  if (!input.components.empty()) options.type_section = "[[component]]";
  options.box = input.start.box;
  options.tilt = input.start.tilt_of_box();
  const auto place = [&input](std::string_view key) -> std::optional<Diagnostic> {
    const auto found = input.places.find(key);
    if (found == input.places.end()) return std::nullopt;
    Diagnostic diagnostic;
    diagnostic.file = input.path;
    diagnostic.line = found->second.line;
    diagnostic.column = found->second.column;
    diagnostic.length = found->second.length;
    diagnostic.source_line = found->second.source_line;
    diagnostic.source_column = found->second.source_column;
    return diagnostic;
  };
  options.file_place = place("start.file");
  options.box_place = place("start.box");
  options.tilt_place = place("start.tilt");
  const std::filesystem::path folder = std::filesystem::path(input.path).parent_path();
  if (!input.start.header.empty()) {
    options.ls1_header_path = (folder / input.start.header).string();
  }
  return open((folder / input.start.file).string(), options);
}

std::span<const ParticleRecord> StartFileReader::read_chunk(std::size_t max_count) {
  chunk_.clear();
  if (max_count == 0 || particles_read_ == header_.particle_count) return chunk_;
  while (chunk_.size() < max_count && particles_read_ < header_.particle_count) {
    ParticleRecord& record = chunk_.emplace_back(next_particle());
    ++particles_read_;
    if (renumbers_) record.id = particles_read_;
  }
  if (particles_read_ == header_.particle_count) check_end();
  return chunk_;
}

void fail_early_end(const LineReader& reader, std::int64_t read, std::int64_t expected) {
  reader.fail(fmt::format("the file ends after {} of {} particles", read, expected));
}

void expect_end_of_file(LineReader& reader, std::int64_t particles) {
  while (reader.next()) {
    if (is_blank_line(reader.line())) continue;
    const std::string_view extra = Fields(reader.line()).rest();
    reader.fail(
        extra,
        fmt::format("expected the end of the file after {} particle{}; found {}{}", particles,
                    particles == 1 ? "" : "s", quote(extra),
                    is_one_integer(extra) ? ", perhaps a second frame; a start file has one" : ""));
  }
}

}  // namespace sterna::md
