#include "md/start/readers/start_file_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "md/core/display_text.hpp"
#include "md/input/fields.hpp"
#include "md/input/foreign_files.hpp"
#include "md/input/particle_names.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/reader_table.hpp"
#include "sterna/comm/nearest_name.hpp"

namespace sterna::md {
namespace {

[[noreturn]] void fail_unrecognized(const std::shared_ptr<const FileHandle>& file) {
  std::string formats;
  for (const StartReaderRow& format : reader_table()) {
    formats += fmt::format("{}{}", formats.empty() ? "" : ", ", format.looks_like);
  }
  LineReader start(file);
  start.next();
  start.fail(fmt::format("this is none of the formats that start files may have: {}", formats));
}

[[noreturn]] void fail_unknown_format(const std::string& path, std::string_view name) {
  const auto names = start_format_choices();
  const auto nearest = comm::nearest_name(name, names);
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = fmt::format("unknown format {}; {}", quote(name),
                                   nearest ? fmt::format("did you mean {}?", quote(*nearest))
                                           : fmt::format("expected {}", choice_list(names)));
  throw StartFileError(std::move(diagnostic));
}

}  // namespace

std::unique_ptr<StartFileReader> StartFileReader::open(const std::string& path,
                                                       const StartFileOptions& options) {
  const auto file =
      std::make_shared<const FileHandle>(path, options.file_place ? &*options.file_place : nullptr);
  // The name of a gzip-compressed file is judged without ".gz".
  const std::string_view unpacked =
      path.ends_with(".gz") ? std::string_view(path).substr(0, path.size() - 3) : path;
  if (const auto foreign = foreign_file_advice(unpacked); foreign && options.format == "auto") {
    Diagnostic diagnostic;
    diagnostic.file = path;
    if (options.file_place) diagnostic = *options.file_place;
    diagnostic.severity = Severity::error;
    diagnostic.message = fmt::format("the start file {} {}", quote_path(path), *foreign);
    throw StartFileError(std::move(diagnostic));
  }
  const std::string_view name =
      options.format == "auto" ? recognized_format(file) : std::string_view(options.format);
  if (name.empty()) fail_unrecognized(file);
  const StartReaderRow* format = reader_table().find(name);
  if (format == nullptr) fail_unknown_format(path, name);
  auto reader = format->open(file, options);
  if (!options.tilt.none() && reader->header_.box.tilt.none()) {
    Diagnostic diagnostic;
    if (options.tilt_place) diagnostic = *options.tilt_place;
    diagnostic.severity = Severity::error;
    diagnostic.message = fmt::format(
        "the input's box is triclinic, but that of the start file {} is not", quote_path(path));
    throw StartFileError(std::move(diagnostic));
  }
  reader->header_.format = std::string(name);
  reader->renumbers_ = reader->renumbers_ || options.renumber;
  if (reader->renumbers_) reader->header_.has_ids = false;
  return reader;
}

std::optional<Diagnostic> StartFileReader::place_of(const Input& input, std::string_view key) {
  const auto found = input.places.find(key);
  if (found == input.places.end()) return std::nullopt;
  Diagnostic diagnostic;
  diagnostic.file = input.path;
  if (!found->second.file.empty()) diagnostic.file = found->second.file;
  diagnostic.line = found->second.line;
  diagnostic.column = found->second.column;
  diagnostic.length = found->second.length;
  diagnostic.source_line = found->second.source_line;
  diagnostic.source_column = found->second.source_column;
  return diagnostic;
}

StartFileOptions StartFileReader::options_of(const Input& input) {
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
    options.has_molecules_that_turn |= component.sites.size() > 1;
  }
  options.type_section = particle_section(input);
  for (const Input::Molecule& molecule : input.molecules) {
    options.molecules.push_back({molecule.count, {}});
    auto& types = options.molecules.back().types;
    for (const Input::MoleculeAtom& atom : molecule.atoms) {
      const auto name = std::ranges::find(options.type_names, atom.type);
      types.push_back(name - options.type_names.begin());
    }
  }
  options.box = input.start.box;
  options.tilt = input.start.tilt_of_box();
  options.file_place = place_of(input, "start.file");
  options.box_place = place_of(input, "start.box");
  options.tilt_place = place_of(input, "start.tilt");
  const std::filesystem::path folder = std::filesystem::path(input.path).parent_path();
  options.folder = folder.string();
  options.of_formats = input.sections;
  return options;
}

std::unique_ptr<StartFileReader> StartFileReader::open(const Input& input) {
  const std::filesystem::path folder = std::filesystem::path(input.path).parent_path();
  return open((folder / input.start.file).string(), options_of(input));
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

std::span<ParticleRecord> StartFileReader::read_piece(std::int64_t piece) {
  chunk_.clear();
  append_piece(piece, chunk_);
  if (header_.has_ids) return chunk_;
  std::int64_t id = 0;
  for (ParticleRecord& record : chunk_) record.id = ++id;
  return chunk_;
}

void StartFileReader::append_piece(std::int64_t, std::vector<ParticleRecord>&) {
  throw std::logic_error("this format has no pieces");
}

bool is_one_integer(std::string_view line) {
  Fields fields(line);
  std::int64_t value = 0;
  return parse_integer(fields.next(), value) && fields.next().empty();
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
