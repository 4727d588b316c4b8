// The file: one page of header (below), then for each rank that wrote it a block of records, each
// block on a page boundary, then the metadata (JSON) and the table. Little-endian throughout.
// The table holds for every block its file offset and its number of records (two 64-bit integers),
// then for every segment of 8192 records of every block its XXH64. The header is written last, when
// the rest is on the disk; it holds checksums of the metadata, the table and itself.

#include "md/io/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "md/io/atomic_file.hpp"
#include "md/io/checksum.hpp"
#include "md/io/file_error.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

using nlohmann::json;

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t segment_records = 8192;
constexpr std::uint32_t format_version = 1;
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::array<char, 8> magic{'S', 't', 'e', 'r', 'n', 'a', 'C', '\n'};

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
  std::uint64_t header_checksum;  ///< of all before it
};
static_assert(sizeof(Header) == 96);

/// A particle in the file.
struct Record {
  double position[3];
  double velocity[3];
  std::int64_t id;
  std::int32_t image[3];
  std::int32_t type;
};
static_assert(sizeof(Record) == 72);

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

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + page - 1) / page * page;
}

std::uint64_t header_checksum(const Header& header) {
  return xxh64(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_checksum)));
}

Record record_of(const ParticleStore& store, std::size_t i) {
  const Position& position = store.position[i];
  return {{position.x, position.y, position.z},
          {store.velocity[i].x, store.velocity[i].y, store.velocity[i].z},
          store.id[i],
          {store.image[i].x, store.image[i].y, store.image[i].z},
          static_cast<std::int32_t>(position.type)};
}

void set_particle(ParticleStore& store, std::size_t i, const Record& record) {
  store.position[i] = {record.position[0], record.position[1], record.position[2], record.type};
  store.velocity[i] = {record.velocity[0], record.velocity[1], record.velocity[2]};
  store.id[i] = record.id;
  store.image[i] = {record.image[0], record.image[1], record.image[2]};
}

json vector_json(const Vec3& v) {
  return {exact_text(v.x), exact_text(v.y), exact_text(v.z)};
}

json metadata_of(const CheckpointState& state) {
  return {{"program", state.program},
          {"step", state.step},
          {"time", exact_text(state.time)},
          {"box", vector_json(state.box.length)},
          {"particles", state.particles},
          {"ranks", state.ranks},
          {"grid", state.grid},
          {"types", state.types},
          {"input_hash", fmt::format("{:016x}", state.input_hash)},
          {"record", "position f64 3, velocity f64 3, id i64, image i32 3, type i32"},
          {"state", state.state}};
}

CheckpointState state_of(const json& metadata) {
  CheckpointState state;
  state.program = metadata.at("program").get<std::string>();
  state.step = metadata.at("step").get<std::int64_t>();
  state.time = exact_value(metadata.at("time"));
  for (int axis = 0; axis < 3; ++axis) {
    state.box.length[axis] = exact_value(metadata.at("box").at(static_cast<std::size_t>(axis)));
  }
  state.particles = metadata.at("particles").get<std::int64_t>();
  state.ranks = metadata.at("ranks").get<int>();
  state.grid = metadata.at("grid").get<std::array<int, 3>>();
  state.types = metadata.at("types").get<std::vector<std::string>>();
  state.input_hash =
      std::strtoull(metadata.at("input_hash").get<std::string>().c_str(), nullptr, 16);
  state.state = metadata.at("state");
  return state;
}

/// Somewhere in the header page, behind the header: what rank 0 puts there while a checkpoint is
/// written, and takes away at the end.
constexpr std::uint64_t token_offset = 512;
constexpr auto longest_wait_for_token = std::chrono::seconds(90);

/// Opens the file that rank 0 has made and marked. The name alone is not enough: a network file
/// system may remember for up to a minute which file had it before, and that is now the current
/// checkpoint, into which nothing must be written.
RawFile open_marked(const std::string& path, std::uint64_t token) {
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

/// Writes this rank's block and returns the checksums of its segments.
std::vector<std::uint64_t> write_block(RawFile& file, std::uint64_t offset,
                                       const ParticleStore& store) {
  std::vector<std::uint64_t> checksums;
  std::vector<Record> segment;
  const std::size_t count = store.local_count();
  for (std::size_t begin = 0; begin < count; begin += segment_records) {
    const std::size_t end = std::min<std::size_t>(count, begin + segment_records);
    segment.clear();
    for (std::size_t i = begin; i < end; ++i) segment.push_back(record_of(store, i));
    const auto bytes = std::as_bytes(std::span(segment));
    checksums.push_back(xxh64(bytes));
    file.write_at(offset + begin * sizeof(Record), bytes);
  }
  return checksums;
}

/// What a rank tells rank 0 about its block: count, then the checksums.
std::string block_message(std::uint64_t count, const std::vector<std::uint64_t>& checksums) {
  std::string message(sizeof(std::uint64_t) * (1 + checksums.size()), '\0');
  std::memcpy(message.data(), &count, sizeof(count));
  if (!checksums.empty()) {
    std::memcpy(message.data() + sizeof(count), checksums.data(),
                checksums.size() * sizeof(std::uint64_t));
  }
  return message;
}

/// Metadata, table and header; returns the size of the file.
std::uint64_t finish_file(RawFile& file, CheckpointState state,
                          const std::vector<std::string>& messages) {
  std::string blocks, checksums;
  std::uint64_t offset = page;
  std::uint64_t segments = 0;
  state.particles = 0;
  state.ranks = static_cast<int>(messages.size());
  for (const std::string& message : messages) {
    TableBlock block{offset, 0};
    std::memcpy(&block.count, message.data(), sizeof(block.count));
    blocks.append(reinterpret_cast<const char*>(&block), sizeof(block));
    checksums.append(message, sizeof(block.count));
    offset += padded(block.count * sizeof(Record));
    segments += segments_of(block.count);
    state.particles += static_cast<std::int64_t>(block.count);
  }
  const std::string table = blocks + checksums;
  const std::string metadata = metadata_of(state).dump();

  Header header{};
  header.magic_bytes = magic;
  header.version = format_version;
  header.byte_order = byte_order_mark;
  header.file_size = offset + metadata.size() + table.size();
  header.record_size = sizeof(Record);
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

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw FileError(path + ": " + reason);
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
  if (header.magic_bytes != magic) refuse(file.path(), "is not a checkpoint of this program");
  if (header.byte_order != byte_order_mark) {
    refuse(file.path(), "was written on a machine with another byte order");
  }
  if (header.version != format_version) {
    refuse(file.path(), fmt::format("has version {} of the checkpoint format, this program reads "
                                    "version {}",
                                    header.version, format_version));
  }
  if (header.header_checksum != header_checksum(header)) {
    refuse(file.path(), "is damaged: the checksum of its header does not fit");
  }
  if (header.record_size != sizeof(Record) || header.segment_records != segment_records) {
    refuse(file.path(), "has records of another kind than this program reads");
  }
  if (size < header.file_size) {
    refuse(file.path(),
           fmt::format("is truncated: {} of {} bytes are there", size, header.file_size));
  }
  // The checksum is no proof against a made-up file, so sizes are checked before they are used.
  const std::uint64_t table_size =
      header.block_count * sizeof(TableBlock) + header.segment_count * sizeof(std::uint64_t);
  if (header.block_count > header.file_size || header.segment_count > header.file_size ||
      header.metadata_offset > header.file_size ||
      header.metadata_size > header.file_size - header.metadata_offset ||
      table_size != header.file_size - header.metadata_offset - header.metadata_size) {
    refuse(file.path(), "is damaged: its header contradicts itself");
  }
  return header;
}

}  // namespace

std::string exact_text(double value) {
  return fmt::format("{:a}", value);
}

double exact_value(const json& text) {
  if (text.is_string()) {
    const auto& characters = text.get_ref<const std::string&>();
    char* end = nullptr;
    const double value = std::strtod(characters.c_str(), &end);
    if (!characters.empty() && *end == '\0') return value;
  }
  throw FileError("expected a number in hexadecimal notation, found " + text.dump());
}

std::string checkpoint_path(const std::string& stem) {
  return stem + ".checkpoint";
}

CheckpointReport write_checkpoint(const comm::Context& context, const std::string& stem,
                                  const CheckpointState& state, const ParticleStore& particles) {
  const auto start = std::chrono::steady_clock::now();
  const std::string path = checkpoint_path(stem);
  const std::string fresh = path + ".new";
  const std::uint64_t count = particles.local_count();
  const std::uint64_t block_bytes = padded(count * sizeof(Record));
  const auto offset = page + static_cast<std::uint64_t>(comm::exclusive_sum(
                                 context, static_cast<std::int64_t>(block_bytes)));
  auto total = static_cast<std::int64_t>(block_bytes);
  comm::ReductionBatch(context, "checkpoint").sum(total).run();

  CheckpointReport report;
  try {
    RawFile file;
    const auto token = static_cast<std::uint64_t>(start.time_since_epoch().count()) | 1;
    std::string message;
    on_first_rank(context, [&] {
      remove_file(fresh);
      file = RawFile(fresh, RawFile::Mode::create);
      file.reserve(0, page + static_cast<std::uint64_t>(total));
      const auto bytes = std::as_bytes(std::span(&token, 1));
      file.write_at(token_offset, bytes);
      file.sync();
      message.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    comm::broadcast(context, 0, message);
    std::vector<std::uint64_t> checksums;
    agree_after(context, [&] {
      if (context.rank() != 0) {
        std::uint64_t expected = 0;
        std::memcpy(&expected, message.data(), sizeof(expected));
        file = open_marked(fresh, expected);
      }
      checksums = write_block(file, offset, particles);
      file.sync();
      if (context.rank() != 0) file.close();
    });
    const auto messages = comm::gather(context, 0, block_message(count, checksums));
    std::string size;
    on_first_rank(context, [&] {
      report.bytes = finish_file(file, state, messages);
      replace_keeping_previous(path);
      size = std::to_string(report.bytes);
    });
    comm::broadcast(context, 0, size);
    report.bytes = std::stoull(size);
  } catch (const FileError&) {
    if (context.rank() == 0) {
      try {
        remove_file(fresh);
      } catch (const FileError&) {
        // The failure that led here is the one to report.
      }
    }
    throw;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

CheckpointReader::CheckpointReader(const comm::Context& context, const std::string& path)
    : context_(context), path_(path) {
  std::string metadata, table, size;
  on_first_rank(context, [&] {
    const RawFile file(path, RawFile::Mode::read);
    const Header header = read_header(file);
    metadata.resize(header.metadata_size);
    table.resize(header.file_size - header.metadata_offset - header.metadata_size);
    file.read_at(header.metadata_offset, std::as_writable_bytes(std::span(metadata)));
    file.read_at(header.metadata_offset + header.metadata_size,
                 std::as_writable_bytes(std::span(table)));
    if (xxh64(bytes_of(metadata)) != header.metadata_checksum) {
      refuse(path, "is damaged: the checksum of its metadata does not fit");
    }
    if (xxh64(bytes_of(table)) != header.table_checksum) {
      refuse(path, "is damaged: the checksum of its table does not fit");
    }
    size = std::to_string(header.metadata_offset);
    parse(metadata, table, header.metadata_offset);
  });
  comm::broadcast(context, 0, metadata);
  comm::broadcast(context, 0, table);
  comm::broadcast(context, 0, size);
  if (context.rank() != 0) parse(metadata, table, std::stoull(size));
}

void CheckpointReader::parse(std::string_view metadata, std::string_view table,
                             std::uint64_t blocks_end) {
  try {
    state_ = state_of(json::parse(metadata));
  } catch (const json::exception& error) {
    refuse(path_, fmt::format("has metadata that this program does not read: {}", error.what()));
  } catch (const FileError& error) {
    refuse(path_, fmt::format("has metadata that this program does not read: {}", error.what()));
  }
  const std::string contradiction = "is damaged: its parts contradict each other";
  if (state_.ranks < 1 ||
      table.size() < static_cast<std::size_t>(state_.ranks) * sizeof(TableBlock)) {
    refuse(path_, contradiction);
  }
  std::vector<TableBlock> blocks(static_cast<std::size_t>(state_.ranks));
  const std::size_t block_bytes = blocks.size() * sizeof(TableBlock);
  std::memcpy(blocks.data(), table.data(), block_bytes);
  checksums_.resize((table.size() - block_bytes) / sizeof(std::uint64_t));
  if (!checksums_.empty()) {
    std::memcpy(checksums_.data(), table.data() + block_bytes,
                checksums_.size() * sizeof(std::uint64_t));
  }
  std::uint64_t segments = 0;
  std::uint64_t records = 0;
  blocks_.clear();
  for (const TableBlock& block : blocks) {
    if (block.offset > blocks_end || block.count > (blocks_end - block.offset) / sizeof(Record)) {
      refuse(path_, contradiction);
    }
    blocks_.push_back({block.offset, block.count, segments});
    segments += segments_of(block.count);
    records += block.count;
  }
  if (segments != checksums_.size() || records != static_cast<std::uint64_t>(state_.particles)) {
    refuse(path_, contradiction);
  }
}

void CheckpointReader::require_types(std::span<const std::string> types) const {
  if (std::equal(types.begin(), types.end(), state_.types.begin(), state_.types.end())) return;
  refuse(path_, fmt::format("was written with the particle types [{}], the input has [{}]",
                            fmt::join(state_.types, ", "), fmt::join(types, ", ")));
}

bool CheckpointReader::has_block_per_rank() const {
  return context_.size() == state_.ranks;
}

std::pair<std::uint64_t, std::uint64_t> CheckpointReader::equal_share() const {
  const auto total = static_cast<std::uint64_t>(state_.particles);
  const auto ranks = static_cast<std::uint64_t>(context_.size());
  const auto rank = static_cast<std::uint64_t>(context_.rank());
  const std::uint64_t share = total / ranks, rest = total % ranks;
  const std::uint64_t begin = rank * share + std::min(rank, rest);
  return {begin, begin + share + (rank < rest ? 1 : 0)};
}

void CheckpointReader::read_records(std::uint64_t begin, std::uint64_t end,
                                    ParticleStore* particles) const {
  const RawFile file(path_, RawFile::Mode::read);
  std::vector<Record> segment;
  std::uint64_t block_begin = 0;
  for (std::size_t rank = 0; rank < blocks_.size() && block_begin < end; ++rank) {
    const Block& block = blocks_[rank];
    const std::uint64_t block_end = block_begin + block.count;
    // A segment that lies partly in the range is read as a whole, for its checksum.
    std::uint64_t first =
        begin > block_begin ? (begin - block_begin) / segment_records * segment_records : 0;
    for (; first < block.count && block_begin + first < end; first += segment_records) {
      const std::uint64_t count = std::min(segment_records, block.count - first);
      segment.resize(count);
      const auto bytes = std::as_writable_bytes(std::span(segment));
      file.read_at(block.offset + first * sizeof(Record), bytes);
      if (xxh64(bytes) != checksums_[block.first_segment + first / segment_records]) {
        refuse(path_, fmt::format("is damaged: the checksum of bytes {} to {} does not fit",
                                  block.offset + first * sizeof(Record),
                                  block.offset + (first + count) * sizeof(Record)));
      }
      if (particles == nullptr) continue;
      const std::uint64_t from = std::max(begin, block_begin + first);
      const std::uint64_t to = std::min(end, block_begin + first + count);
      for (std::uint64_t i = from; i < to; ++i) {
        set_particle(*particles, i - begin, segment[i - block_begin - first]);
      }
    }
    block_begin = block_end;
  }
}

void CheckpointReader::read_particles(ParticleStore& particles) const {
  agree_after(context_, [&] {
    auto [begin, end] = equal_share();
    if (has_block_per_rank()) {
      begin = 0;
      for (int rank = 0; rank < context_.rank(); ++rank) {
        begin += blocks_[static_cast<std::size_t>(rank)].count;
      }
      end = begin + blocks_[static_cast<std::size_t>(context_.rank())].count;
    }
    particles.resize_local(end - begin);
    read_records(begin, end, &particles);
  });
}

void CheckpointReader::verify() const {
  agree_after(context_, [&] {
    const auto [begin, end] = equal_share();
    read_records(begin, end, nullptr);
  });
}

FoundCheckpoint find_latest_checkpoint(const comm::Context& context, const std::string& stem) {
  const std::string current = checkpoint_path(stem);
  FoundCheckpoint found;
  std::vector<std::pair<std::string, CheckpointReader>> candidates;
  // A complete .new is there where a crash came between the two renames.
  for (const std::string& path : {current, current + ".new", current + ".previous"}) {
    std::string present;
    if (context.rank() == 0 && file_exists(path)) present = "yes";
    comm::broadcast(context, 0, present);
    if (present.empty()) continue;
    try {
      candidates.emplace_back(path, CheckpointReader(context, path));
    } catch (const FileError& error) {
      found.refused.emplace_back(error.what());
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.second.state().step > b.second.state().step;
  });
  for (const auto& [path, reader] : candidates) {
    try {
      reader.verify();
      found.path = path;
      found.step = reader.state().step;
      break;
    } catch (const FileError& error) {
      found.refused.emplace_back(error.what());
    }
  }
  return found;
}

}  // namespace sterna::md
