// The file: one page of header (below), then for each writing rank a block of records on a page
// boundary, then the metadata (JSON) and the table. All numbers are little-endian. The table holds
// for every block its file offset and its number of records (two 64-bit integers), then for every
// segment of 8192 records of every block its XXH64. The header is written last, when the rest is on
// the disk; it holds checksums of the metadata, the table and itself.
//
// Version 1 has particles that do not rotate, with 72 bytes per record. Version 2 has rigid
// molecules: each record also has the orientation (quaternion w x y z, body to laboratory) and the
// angular momentum (laboratory frame), 128 bytes in all. A run without rigid molecules writes
// version 1.
//
// Versions 3 and 4 are versions 1 and 2 with further data of ranks, such as an observer's sums.
// Behind all blocks they have, for each rank, a directory and its pieces, from a page boundary on.
// The directory is the number of pieces, then the size and the XXH64 of each (all 64-bit integers).
// The metadata have offset, size and XXH64 of each directory ("rank_data").
//
// Versions 5 to 8 are versions 1 to 4 with added fields: each record ends with their numbers, all of
// them doubles. The metadata have the name and the number of components of each field ("fields").
//
// Versions 10, 12, 14 and 16 are versions 2, 4, 6 and 8 of particles of which only some rotate. Their
// records have no orientations, as in version 1. The records of each segment are followed by 64 bytes
// for each of its particles that rotates: the number of its record in the segment (a 64-bit integer),
// orientation and angular momentum. The XXH64 of a segment is of both. Behind these checksums the
// table has for every segment how many of its particles rotate.

#include "md/output/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>

#include "md/core/checksum.hpp"
#include "md/core/file_error.hpp"
#include "md/core/json.hpp"
#include "md/system/particle_fields.hpp"

namespace sterna::md {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t segment_records = 8192;
/// Offset of the token in the header page, behind the header.
constexpr std::uint64_t token_offset = 512;
constexpr auto longest_wait_for_token = std::chrono::seconds(90);
constexpr std::uint32_t version_of_atoms = 1;
constexpr std::uint32_t version_of_molecules = 2;
/// Added to one of the two versions above.
constexpr std::uint32_t version_with_rank_data = 2;
/// Added to one of the four versions above.
constexpr std::uint32_t version_with_fields = 4;
/// Added to a version of molecules if only some particles rotate.
constexpr std::uint32_t version_with_some_rotating = 8;
constexpr std::uint32_t last_version = 16;
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::array<char, 8> checkpoint_magic{'S', 't', 'e', 'r', 'n', 'a', 'C', '\n'};

struct Header {
  std::array<char, 8> magic_bytes;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t file_size;
  std::uint64_t record_size;
  std::uint64_t segment_records;
  std::uint64_t block_count;
  std::uint64_t segment_count;
  std::uint64_t metadata_offset;
  std::uint64_t metadata_size;
  std::uint64_t metadata_checksum;
  std::uint64_t table_checksum;   ///< the table follows the metadata
  std::uint64_t header_checksum;  ///< of all members before it
};
static_assert(sizeof(Header) == 96);

/// Size of a particle in the file, where the numbers of its fields are contiguous.
std::uint64_t record_bytes(bool rotating) {
  return bytes_in_files({.rotating = rotating});
}

bool has_turning_records(const CheckpointState& state) {
  return state.rotating && !state.only_some_rotate;
}

std::uint64_t record_bytes(const CheckpointState& state) {
  std::uint64_t bytes = record_bytes(has_turning_records(state));
  for (const AddedFieldLayout& field : state.fields) {
    bytes += static_cast<std::uint64_t>(field.components) * sizeof(double);
  }
  return bytes;
}

/// The layout of a record, as in "position f64 3, velocity f64 3, id i64 ...".
std::string record_text(const CheckpointState& state) {
  std::string text;
  for_each_field_in_files({.rotating = has_turning_records(state)}, [&](const auto& field) {
    using Stored = typename std::remove_cvref_t<decltype(field)>::StoredType;
    std::string name(field.name);
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", name,
                        std::is_floating_point_v<Stored> ? 'f' : 'i', 8 * sizeof(Stored));
    if (field.components > 1) text += fmt::format(" {}", field.components);
  });
  for (const AddedFieldLayout& field : state.fields) {
    text += fmt::format(", {} f64", field.name);
    if (field.components > 1) text += fmt::format(" {}", field.components);
  }
  return text;
}

/// What follows the records of a segment, for each of its particles that rotates, if only some do.
struct Turn {
  std::uint64_t record;  ///< in the segment
  Quaternion orientation;
  Vec3 angular_momentum;
};
static_assert(sizeof(Turn) == 64);

struct TableBlock {
  std::uint64_t offset;
  std::uint64_t count;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::uint64_t segments_of(std::uint64_t records) {
  return (records + segment_records - 1) / segment_records;
}

std::uint64_t header_checksum(const Header& header) {
  return xxh64(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_checksum)));
}

void write_record(std::byte* place, const ParticleStore& store, std::size_t i) {
  for_each_field_in_files(store.kind_of_all(), [&](const auto& field) {
    for (const auto number : field.get((store.*field.array)[i])) {
      const auto stored =
          static_cast<typename std::remove_cvref_t<decltype(field)>::StoredType>(number);
      std::memcpy(place, &stored, sizeof(stored));
      place += sizeof(stored);
    }
  });
}

/// Reads a record, with or without orientation, into the next particle of the store.
void read_record(const std::byte* place, bool rotating, ParticleStore& store, std::size_t i) {
  ParticleRecord record{};
  for_each_field_in_files({.rotating = rotating}, [&](const auto& field) {
    using Field = std::remove_cvref_t<decltype(field)>;
    typename Field::Numbers numbers;
    for (auto& number : numbers) {
      typename Field::StoredType stored;
      std::memcpy(&stored, place, sizeof(stored));
      number = static_cast<typename Field::NumberType>(stored);
      place += sizeof(stored);
    }
    field.set(record.*field.in_record, numbers);
  });
  set_particle(store, i, record);
}

Json vector_json(const Vec3& v) {
  return {exact_text(v.x), exact_text(v.y), exact_text(v.z)};
}

Json metadata_of(const CheckpointState& state) {
  Json metadata = {{"program", state.program},
                   {"step", state.step},
                   {"time", exact_text(state.time)},
                   {"box", vector_json(state.box.length)},
                   {"particles", state.particles},
                   {"ranks", state.ranks},
                   {"grid", state.grid},
                   {"types", state.types},
                   {"input_hash", fmt::format("{:016x}", state.input_hash)},
                   {"record", record_text(state)},
                   {"rotating", state.rotating},
                   {"only_some_rotate", state.only_some_rotate},
                   {"state", state.state}};
  const Tilt& tilt = state.box.tilt;
  if (!tilt.none()) metadata["tilt"] = vector_json({tilt.xy, tilt.xz, tilt.yz});
  for (const AddedFieldLayout& field : state.fields) {
    metadata["fields"].push_back({{"name", field.name}, {"components", field.components}});
  }
  return metadata;
}

CheckpointState state_of(const Json& metadata) {
  CheckpointState state;
  state.program = metadata.at("program").get<std::string>();
  state.step = metadata.at("step").get<std::int64_t>();
  state.time = exact_value(metadata.at("time"));
  for (int axis = 0; axis < 3; ++axis) {
    state.box.length[axis] = exact_value(metadata.at("box").at(static_cast<std::size_t>(axis)));
  }
  if (const auto tilt = metadata.find("tilt"); tilt != metadata.end()) {
    state.box.tilt = {exact_value(tilt->at(0)), exact_value(tilt->at(1)), exact_value(tilt->at(2))};
  }
  state.particles = metadata.at("particles").get<std::int64_t>();
  state.ranks = metadata.at("ranks").get<int>();
  state.grid = metadata.at("grid").get<std::array<int, 3>>();
  state.types = metadata.at("types").get<std::vector<std::string>>();
  state.input_hash =
      std::strtoull(metadata.at("input_hash").get<std::string>().c_str(), nullptr, 16);
  state.state = metadata.at("state");
  state.rotating = metadata.value("rotating", false);
  state.only_some_rotate = metadata.value("only_some_rotate", false);
  for (const Json& field : metadata.value("fields", Json::array())) {
    state.fields.push_back(
        {field.at("name").get<std::string>(), field.at("components").get<int>()});
    if (const std::string fault = fault_of(state.fields.back()); !fault.empty()) {
      throw FileError(fault);
    }
    const std::string& name = state.fields.back().name;
    if (std::ranges::count(state.fields, name, &AddedFieldLayout::name) > 1) {
      throw FileError(fmt::format("two particle fields are called \"{}\"", name));
    }
  }
  return state;
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw FileError(path + ": " + reason);
}

bool is_known(std::uint32_t version) {
  return version >= version_of_atoms && version <= last_version &&
         (version <= version_with_some_rotating ||
          version % version_with_rank_data == version_of_molecules % version_with_rank_data);
}

bool only_some_rotate(std::uint32_t version) {
  return version > version_with_some_rotating;
}

bool has_fields(std::uint32_t version) {
  return (version - 1) % version_with_some_rotating >= version_with_fields;
}

bool has_molecules(std::uint32_t version) {
  return version % version_with_rank_data == version_of_molecules % version_with_rank_data;
}

/// Whether the version and the size of a record fit together.
bool has_known_records(const Header& header) {
  const std::uint64_t least =
      record_bytes(has_molecules(header.version) && !only_some_rotate(header.version));
  if (!has_fields(header.version)) return header.record_size == least;
  return header.record_size > least && (header.record_size - least) % sizeof(double) == 0;
}

Header read_header(const RawFile& file) {
  Header header{};
  const std::uint64_t size = file.size();
  if (size < sizeof(Header)) {
    refuse(file.path(), fmt::format("is not a checkpoint: it has only {} bytes", size));
  }
  file.read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  const std::array<char, 8> nothing{};
  if (header.magic_bytes == nothing) {
    refuse(file.path(), "is an unfinished checkpoint: its writing was interrupted");
  }
  if (header.magic_bytes != checkpoint_magic)
    refuse(file.path(), "is not a checkpoint of this program");
  if (header.byte_order != byte_order_mark) {
    refuse(file.path(), "was written on a machine with another byte order");
  }
  if (!is_known(header.version)) {
    refuse(file.path(), fmt::format("has version {} of the checkpoint format, this program reads "
                                    "versions {} to {}",
                                    header.version, version_of_atoms, last_version));
  }
  if (header.header_checksum != header_checksum(header)) {
    refuse(file.path(), "is damaged: the checksum of its header does not fit");
  }
  if (!has_known_records(header) || header.segment_records != segment_records) {
    refuse(file.path(), "has records of another kind than this program reads");
  }
  if (size < header.file_size) {
    refuse(file.path(),
           fmt::format("is truncated: {} of {} bytes are there", size, header.file_size));
  }
  // A checksum cannot rule out a forged file, so sizes are checked before they are used.
  const std::uint64_t numbers_of_segment = only_some_rotate(header.version) ? 2 : 1;
  const std::uint64_t table_size =
      header.block_count * sizeof(TableBlock) +
      header.segment_count * numbers_of_segment * sizeof(std::uint64_t);
  if (header.block_count > header.file_size || header.segment_count > header.file_size ||
      header.metadata_offset > header.file_size ||
      header.metadata_size > header.file_size - header.metadata_offset ||
      table_size != header.file_size - header.metadata_offset - header.metadata_size) {
    refuse(file.path(), "is damaged: its header contradicts itself");
  }
  return header;
}

constexpr std::size_t digits_of_packed = 16;

/// A rank's report on its further data, for `finish_checkpoint`.
struct RankDataSummary {
  std::uint64_t bytes;     ///< size in the file; 0: no data
  std::uint64_t checksum;  ///< of the directory
};

/// The entry of a piece in the directory.
struct PieceEntry {
  std::uint64_t size;
  std::uint64_t checksum;
};

/// The offset, the bytes and the checksum of the data of each rank, which begin at `offset`. Moves
/// `offset` behind them.
Json places_of_rank_data(const std::vector<RankDataSummary>& summaries, std::uint64_t& offset) {
  Json places = Json::array();
  for (const RankDataSummary& summary : summaries) {
    places.push_back(Json::array({offset, summary.bytes, summary.checksum}));
    offset += summary.bytes;
  }
  return places;
}

}  // namespace

std::string exact_text(double value) {
  return fmt::format("{:a}", value);
}

double exact_value(const Json& text) {
  if (text.is_string()) {
    const auto& characters = text.get_ref<const std::string&>();
    char* end = nullptr;
    const double value = std::strtod(characters.c_str(), &end);
    if (!characters.empty() && *end == '\0') return value;
  }
  throw FileError("expected a number in hexadecimal notation, found " + json_text(text));
}

Json exact_array(std::span<const double> values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(exact_text(value));
  return array;
}

Json packed_array(std::span<const double> values) {
  std::string text;
  text.reserve(digits_of_packed * values.size());
  for (const double value : values) {
    text += fmt::format("{:016x}", std::bit_cast<std::uint64_t>(value));
  }
  return text;
}

std::vector<double> exact_values(const Json& array) {
  std::vector<double> values;
  if (array.is_string()) {
    const auto& text = array.get_ref<const std::string&>();
    values.reserve(text.size() / digits_of_packed);
    for (std::size_t at = 0; at < text.size(); at += digits_of_packed) {
      std::uint64_t bits = 0;
      const char* const end = text.data() + std::min(text.size(), at + digits_of_packed);
      const auto [stop, problem] = std::from_chars(text.data() + at, end, bits, 16);
      if (problem != std::errc() || stop != text.data() + at + digits_of_packed) {
        throw FileError("expected numbers of 16 hexadecimal digits each");
      }
      values.push_back(std::bit_cast<double>(bits));
    }
    return values;
  }
  for (const auto& value : array) values.push_back(exact_value(value));
  return values;
}

std::uint64_t checkpoint_block_bytes(std::uint64_t records, std::uint64_t rotors,
                                     const CheckpointState& state) {
  return (records * record_bytes(state) + rotors * sizeof(Turn) + page - 1) / page * page;
}

void mark_checkpoint(RawFile& file, std::uint64_t token) {
  file.write_at(token_offset, std::as_bytes(std::span(&token, 1)));
  file.sync();
}

RawFile open_marked_checkpoint(const std::string& path, std::uint64_t token) {
  const auto give_up = std::chrono::steady_clock::now() + longest_wait_for_token;
  for (;;) {
    std::string failure = path + ": another file than rank 0's has this name here";
    try {
      RawFile file(path, RawFile::Mode::write);
      std::uint64_t found = 0;
      if (file.size() >= token_offset + sizeof(found)) {
        file.read_at(token_offset, std::as_writable_bytes(std::span(&found, 1)));
      }
      if (found == token) return file;
    } catch (const FileError& error) {
      failure = error.what();
    }
    if (std::chrono::steady_clock::now() > give_up) throw FileError(failure);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string write_checkpoint_block(RawFile& file, std::uint64_t offset,
                                   const ParticleStore& particles, const AddedFields* fields) {
  const std::uint64_t count = particles.local_count();
  std::string message(reinterpret_cast<const char*>(&count), sizeof(count));
  const bool only_some = particles.only_some_rotate();
  const std::uint64_t size = record_bytes(particles.kind_of_all().rotating);
  const std::uint64_t record = size + (fields != nullptr ? fields->bytes() : 0);
  std::vector<std::byte> segment;
  std::vector<Turn> turns;
  std::string turn_counts;
  for (std::size_t begin = 0; begin < count; begin += segment_records) {
    const std::size_t end = std::min<std::size_t>(count, begin + segment_records);
    segment.resize((end - begin) * record);
    for (std::size_t i = begin; i < end; ++i) {
      std::byte* const place = segment.data() + (i - begin) * record;
      write_record(place, particles, i);
      if (fields != nullptr) fields->write(i, place + size);
    }
    turns.clear();
    for (std::size_t i = begin; only_some && i < end; ++i) {
      if (!particles.turns(i)) continue;
      turns.push_back({i - begin, particles.orientation[i], particles.angular_momentum[i]});
    }
    const std::span<const std::byte> of_turns = std::as_bytes(std::span<const Turn>(turns));
    segment.insert(segment.end(), of_turns.begin(), of_turns.end());
    const auto bytes = std::span<const std::byte>(segment);
    const std::uint64_t checksum = xxh64(bytes), turn_count = turns.size();
    message.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
    turn_counts.append(reinterpret_cast<const char*>(&turn_count), sizeof(turn_count));
    file.write_at(offset, bytes);
    offset += bytes.size();
  }
  return only_some ? message + turn_counts : message;
}

std::uint64_t rank_data_bytes(RankDataView data) {
  if (data.empty()) return 0;
  std::uint64_t bytes = sizeof(std::uint64_t) + data.size() * sizeof(PieceEntry);
  for (const auto& piece : data) bytes += piece.size();
  return (bytes + page - 1) / page * page;
}

std::string write_rank_data(RawFile& file, std::uint64_t offset, RankDataView data) {
  RankDataSummary summary{rank_data_bytes(data), 0};
  if (!data.empty()) {
    const std::uint64_t count = data.size();
    std::string directory(reinterpret_cast<const char*>(&count), sizeof(count));
    for (const auto& piece : data) {
      const PieceEntry entry{piece.size(), xxh64(piece)};
      directory.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
    }
    summary.checksum = xxh64(bytes_of(directory));
    file.write_at(offset, bytes_of(directory));
    std::uint64_t next = offset + directory.size();
    for (const auto& piece : data) {
      file.write_at(next, piece);
      next += piece.size();
    }
  }
  return {reinterpret_cast<const char*>(&summary), sizeof(summary)};
}

namespace {

/// The sum of the numbers in a text from a place on.
std::uint64_t sum_of_numbers(const std::string& text, std::size_t begin) {
  std::uint64_t sum = 0;
  for (std::uint64_t number; begin < text.size(); begin += sizeof(number)) {
    std::memcpy(&number, text.data() + begin, sizeof(number));
    sum += number;
  }
  return sum;
}

}  // namespace

std::uint64_t finish_checkpoint(RawFile& file, CheckpointState state,
                                const std::vector<std::string>& messages) {
  std::string blocks, checksums, turn_counts;
  std::vector<RankDataSummary> summaries;
  std::uint64_t offset = first_checkpoint_block;
  std::uint64_t segments = 0;
  state.particles = 0;
  state.ranks = static_cast<int>(messages.size());
  for (const std::string& message : messages) {
    TableBlock block{offset, 0};
    std::memcpy(&summaries.emplace_back(), message.data(), sizeof(RankDataSummary));
    std::memcpy(&block.count, message.data() + sizeof(RankDataSummary), sizeof(block.count));
    blocks.append(reinterpret_cast<const char*>(&block), sizeof(block));
    const std::size_t begin = sizeof(RankDataSummary) + sizeof(block.count);
    const std::size_t bytes = segments_of(block.count) * sizeof(std::uint64_t);
    checksums.append(message, begin, bytes);
    turn_counts.append(message, begin + bytes);
    offset += checkpoint_block_bytes(block.count, sum_of_numbers(message, begin + bytes), state);
    segments += segments_of(block.count);
    state.particles += static_cast<std::int64_t>(block.count);
  }
  const std::string table = blocks + checksums + turn_counts;
  Json metadata_json = metadata_of(state);
  const bool has_rank_data = std::ranges::any_of(
      summaries, [](const RankDataSummary& summary) { return summary.bytes > 0; });
  if (has_rank_data) metadata_json["rank_data"] = places_of_rank_data(summaries, offset);
  const std::string metadata = json_text(metadata_json);

  Header header{};
  header.magic_bytes = checkpoint_magic;
  header.version = (state.rotating ? version_of_molecules : version_of_atoms) +
                   (has_rank_data ? version_with_rank_data : 0) +
                   (state.fields.empty() ? 0 : version_with_fields) +
                   (state.only_some_rotate ? version_with_some_rotating : 0);
  header.byte_order = byte_order_mark;
  header.file_size = offset + metadata.size() + table.size();
  header.record_size = record_bytes(state);
  header.segment_records = segment_records;
  header.block_count = messages.size();
  header.segment_count = segments;
  header.metadata_offset = offset;
  header.metadata_size = metadata.size();
  header.metadata_checksum = xxh64(bytes_of(metadata));
  header.table_checksum = xxh64(bytes_of(table));
  header.header_checksum = header_checksum(header);

  file.write_at(offset, bytes_of(metadata));
  file.write_at(offset + metadata.size(), bytes_of(table));
  file.sync();
  const std::array<std::byte, 8> no_token{};
  file.write_at(token_offset, no_token);
  file.write_at(0, std::as_bytes(std::span(&header, 1)));
  file.sync();
  if (file.size() != header.file_size) {
    throw FileError(fmt::format("{}: has {} bytes after writing {}", file.path(), file.size(),
                                header.file_size));
  }
  file.close();
  return header.file_size;
}

CheckpointFile::Index CheckpointFile::read_index(const std::string& path) {
  const RawFile file(path, RawFile::Mode::read);
  const Header header = read_header(file);
  Index index;
  index.blocks_end = header.metadata_offset;
  index.metadata.resize(header.metadata_size);
  index.table.resize(header.file_size - header.metadata_offset - header.metadata_size);
  file.read_at(header.metadata_offset, std::as_writable_bytes(std::span(index.metadata)));
  file.read_at(header.metadata_offset + header.metadata_size,
               std::as_writable_bytes(std::span(index.table)));
  if (xxh64(bytes_of(index.metadata)) != header.metadata_checksum) {
    refuse(path, "is damaged: the checksum of its metadata does not fit");
  }
  if (xxh64(bytes_of(index.table)) != header.table_checksum) {
    refuse(path, "is damaged: the checksum of its table does not fit");
  }
  return index;
}

bool CheckpointFile::is_foreign(const std::string& path) {
  Header header{};
  try {
    const RawFile file(path, RawFile::Mode::read);
    if (file.size() < sizeof(Header)) return false;
    file.read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  } catch (const FileError&) {
    return true;
  }
  return header.magic_bytes == checkpoint_magic &&
         (header.byte_order != byte_order_mark || !is_known(header.version));
}

CheckpointFile::CheckpointFile(std::string path, const Index& index) : path_(std::move(path)) {
  try {
    const Json metadata = parse_json(index.metadata);
    state_ = state_of(metadata);
    for (const Json& place : metadata.value("rank_data", Json::array())) {
      rank_data_.push_back({place.at(0).get<std::uint64_t>(), place.at(1).get<std::uint64_t>(),
                            place.at(2).get<std::uint64_t>()});
    }
  } catch (const Json::exception& error) {
    refuse(path_, fmt::format("has metadata that this program does not read: {}", error.what()));
  } catch (const FileError& error) {
    refuse(path_, fmt::format("has metadata that this program does not read: {}", error.what()));
  }
  const std::string contradiction = "is damaged: its parts contradict each other";
  if (state_.ranks < 1 ||
      index.table.size() < static_cast<std::size_t>(state_.ranks) * sizeof(TableBlock)) {
    refuse(path_, contradiction);
  }
  std::vector<TableBlock> blocks(static_cast<std::size_t>(state_.ranks));
  const std::size_t block_bytes = blocks.size() * sizeof(TableBlock);
  std::memcpy(blocks.data(), index.table.data(), block_bytes);
  checksums_.resize((index.table.size() - block_bytes) / sizeof(std::uint64_t));
  if (!checksums_.empty()) {
    std::memcpy(checksums_.data(), index.table.data() + block_bytes,
                checksums_.size() * sizeof(std::uint64_t));
  }
  if (state_.only_some_rotate) take_turn_counts(contradiction);
  std::uint64_t segments = 0;
  std::uint64_t records = 0;
  for (const TableBlock& block : blocks) {
    if (block.offset > index.blocks_end ||
        block.count > (index.blocks_end - block.offset) / record_bytes(state_)) {
      refuse(path_, contradiction);
    }
    blocks_.push_back({block.offset, records, block.count, segments});
    const std::uint64_t first_turn = turns_before(segments);
    segments += segments_of(block.count);
    records += block.count;
    const std::uint64_t room = index.blocks_end - block.offset - block.count * record_bytes(state_);
    if (segments > checksums_.size() || turns_before(segments) - first_turn > room / sizeof(Turn)) {
      refuse(path_, contradiction);
    }
  }
  for (const RankDataPlace& place : rank_data_) {
    if (place.offset > index.blocks_end || place.bytes > index.blocks_end - place.offset) {
      refuse(path_, contradiction);
    }
  }
  if (!rank_data_.empty() && rank_data_.size() != blocks_.size()) refuse(path_, contradiction);
  if (segments != checksums_.size() || records != static_cast<std::uint64_t>(state_.particles)) {
    refuse(path_, contradiction);
  }
}

void CheckpointFile::take_turn_counts(const std::string& contradiction) {
  if (!state_.rotating || checksums_.size() % 2 != 0) refuse(path_, contradiction);
  const std::size_t segments = checksums_.size() / 2;
  turns_before_.assign(1, 0);
  for (std::size_t k = segments; k < checksums_.size(); ++k) {
    if (checksums_[k] > segment_records) refuse(path_, contradiction);
    turns_before_.push_back(turns_before_.back() + checksums_[k]);
  }
  checksums_.resize(segments);
}

std::uint64_t CheckpointFile::turns_before(std::uint64_t segment) const {
  return segment < turns_before_.size() ? turns_before_[segment] : 0;
}

std::pair<std::uint64_t, std::uint64_t> CheckpointFile::block_of(int rank) const {
  const Block& block = blocks_.at(static_cast<std::size_t>(rank));
  return {block.first_record, block.first_record + block.count};
}

void CheckpointFile::read(std::uint64_t begin, std::uint64_t end, ParticleStore* particles,
                          AddedFields* fields) const {
  if (particles != nullptr) {
    if (particles->rotating() != state_.rotating) {
      refuse(path_, state_.rotating
                        ? "holds molecules that rotate, those of the input do not"
                        : "holds no orientations, which the molecules of the input have");
    }
    particles->resize_local(end - begin);
  }
  if (fields != nullptr) {
    fields->restore(state_.fields);
    fields->resize(end - begin);
  }
  const RawFile file(path_, RawFile::Mode::read);
  const bool turning_records = has_turning_records(state_);
  const std::uint64_t size = record_bytes(turning_records), record = record_bytes(state_);
  std::vector<std::byte> segment;
  for (const Block& block : blocks_) {
    const std::uint64_t block_end = block.first_record + block.count;
    if (block_end <= begin || block.first_record >= end) continue;
    // A segment that is partly in the range is read completely, because its checksum needs all of
    // it.
    std::uint64_t first = begin > block.first_record
                              ? (begin - block.first_record) / segment_records * segment_records
                              : 0;
    for (; first < block.count && block.first_record + first < end; first += segment_records) {
      const std::uint64_t count = std::min(segment_records, block.count - first);
      const std::uint64_t number = block.first_segment + first / segment_records;
      const std::uint64_t turns = turns_before(number + 1) - turns_before(number);
      const std::uint64_t offset =
          block.offset + first * record +
          (turns_before(number) - turns_before(block.first_segment)) * sizeof(Turn);
      segment.resize(count * record + turns * sizeof(Turn));
      const std::span<std::byte> bytes(segment);
      file.read_at(offset, bytes);
      if (xxh64(bytes) != checksums_[number]) {
        refuse(path_, fmt::format("is damaged: the checksum of bytes {} to {} does not fit", offset,
                                  offset + bytes.size()));
      }
      if (particles == nullptr) continue;
      const std::uint64_t from = std::max(begin, block.first_record + first);
      const std::uint64_t to = std::min(end, block.first_record + first + count);
      for (std::uint64_t i = from; i < to; ++i) {
        const std::byte* const place = segment.data() + (i - block.first_record - first) * record;
        read_record(place, turning_records, *particles, i - begin);
        if (fields != nullptr) fields->read(i - begin, place + size);
      }
      for (std::uint64_t k = 0; k < turns; ++k) {
        Turn turn;
        std::memcpy(&turn, segment.data() + count * record + k * sizeof(Turn), sizeof(Turn));
        const std::uint64_t i = block.first_record + first + turn.record;
        if (i < from || i >= to) continue;
        particles->orientation[i - begin] = turn.orientation;
        particles->angular_momentum[i - begin] = turn.angular_momentum;
      }
    }
  }
}

RankData CheckpointFile::read_rank_data(int rank) const {
  RankData data;
  if (rank_data_.empty()) return data;
  const RankDataPlace& place = rank_data_.at(static_cast<std::size_t>(rank));
  if (place.bytes == 0) return data;
  const RawFile file(path_, RawFile::Mode::read);
  const auto damaged = [&](std::uint64_t begin, std::uint64_t size) {
    refuse(path_, fmt::format("is damaged: the checksum of bytes {} to {} does not fit", begin,
                              begin + size));
  };
  std::uint64_t count = 0;
  file.read_at(place.offset, std::as_writable_bytes(std::span(&count, 1)));
  if (count > (place.bytes - sizeof(count)) / sizeof(PieceEntry)) {
    damaged(place.offset, sizeof(count));
  }
  std::vector<std::byte> directory(sizeof(count) + count * sizeof(PieceEntry));
  file.read_at(place.offset, directory);
  if (xxh64(directory) != place.checksum) damaged(place.offset, directory.size());
  std::vector<PieceEntry> entries(count);
  if (count > 0) {
    std::memcpy(entries.data(), directory.data() + sizeof(count), count * sizeof(PieceEntry));
  }
  std::uint64_t next = place.offset + directory.size();
  const std::uint64_t end = place.offset + place.bytes;
  for (const PieceEntry& entry : entries) {
    if (entry.size > end - next) damaged(place.offset, directory.size());
    std::vector<std::byte>& piece = data.emplace_back(entry.size);
    file.read_at(next, piece);
    if (xxh64(piece) != entry.checksum) damaged(next, entry.size);
    next += entry.size;
  }
  return data;
}

}  // namespace sterna::md
