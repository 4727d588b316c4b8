#include "md/output/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/core/sort_by.hpp"
#include "md/output/atomic_file.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/joined.hpp"
#include "sterna/comm/messenger.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

CheckpointFile open_for_all(const comm::Context& context, const std::string& path) {
  CheckpointFile::Index index;
  std::string blocks_end;
  on_first_rank(context, [&] {
    index = CheckpointFile::read_index(path);
    blocks_end = std::to_string(index.blocks_end);
  });
  comm::broadcast(context, 0, index.metadata);
  comm::broadcast(context, 0, index.table);
  comm::broadcast(context, 0, blocks_end);
  index.blocks_end = std::stoull(blocks_end);
  // All ranks have the same bytes here, so all accept or all throw.
  return CheckpointFile(path, index);
}

/// On rank 0, the tables that ranks made of their blocks, in rank order; elsewhere empty.
std::vector<std::string> gather_tables(const comm::Context& context, comm::Messenger& messenger,
                                       comm::Buffer<char> table) {
  const std::uint64_t key = messenger.reserve_keys();
  messenger.send(0, key, comm::nocopy(std::move(table)));
  std::vector<std::string> tables;
  for (int rank = 0; context.rank() == 0 && rank < context.size(); ++rank) {
    auto delivery = messenger.receive<char>(rank, key);
    messenger.wait(delivery.arrived(), "the tables of a checkpoint");
    const comm::Buffer<char> text = delivery.take();
    tables.emplace_back(text.begin(), text.end());
  }
  return tables;
}

/// The offsets of what this rank writes, and of the end of what all ranks write.
struct PlacesInCheckpoint {
  std::uint64_t block = 0;  ///< of its particles
  std::uint64_t data = 0;   ///< of the data of its own, which follow all blocks
  std::uint64_t end = 0;
};

/// Collective. `block_bytes` and `data_bytes` are those of this rank.
PlacesInCheckpoint places_in_checkpoint(const comm::Context& context, std::uint64_t block_bytes,
                                        std::uint64_t data_bytes) {
  auto all_blocks = static_cast<std::int64_t>(block_bytes);
  auto all_data = static_cast<std::int64_t>(data_bytes);
  const std::int64_t blocks_before = comm::exclusive_sum(context, all_blocks);
  const std::int64_t data_before = comm::exclusive_sum(context, all_data);
  comm::ReductionBatch(context, "checkpoint").sum(all_blocks).sum(all_data).run();
  const auto behind_head = [](std::int64_t bytes) {
    return first_checkpoint_block + static_cast<std::uint64_t>(bytes);
  };
  return {.block = behind_head(blocks_before),
          .data = behind_head(all_blocks + data_before),
          .end = behind_head(all_blocks + all_data)};
}

/// Removes what a failure left. The failure itself is the one to report.
void remove_if_possible(const std::string& path) {
  try {
    remove_file(path);
  } catch (const FileError&) {
  }
}

}  // namespace

CheckpointReport write_checkpoint(const comm::Context& context, const std::string& stem,
                                  CheckpointState state, const ParticleStore& particles,
                                  RankDataView rank_data, const AddedFields* fields) {
  return write_checkpoint_file(context, checkpoint_path(stem), std::move(state), particles,
                               rank_data, fields);
}

CheckpointReport write_checkpoint_file(const comm::Context& context, const std::string& path,
                                       CheckpointState state, const ParticleStore& particles,
                                       RankDataView rank_data, const AddedFields* fields) {
  const auto start = std::chrono::steady_clock::now();
  const std::string fresh = path + ".new";
  state.rotating = particles.rotating();
  state.only_some_rotate = particles.only_some_rotate();
  state.fields.clear();
  if (fields != nullptr) state.fields = fields->layouts();
  const std::uint64_t block_bytes = checkpoint_block_bytes(
      particles.local_count(), state.only_some_rotate ? particles.local_rotors() : 0, state);
  const PlacesInCheckpoint places =
      places_in_checkpoint(context, block_bytes, rank_data_bytes(rank_data));
  const auto messenger = comm::Messenger::shared(context);

  CheckpointReport report;
  try {
    RawFile file;
    const auto token = static_cast<std::uint64_t>(start.time_since_epoch().count()) | 1;
    std::string message;
    on_first_rank(context, [&] {
      remove_file(fresh);
      file = RawFile(fresh, RawFile::Mode::create);
      file.reserve(0, places.end);
      mark_checkpoint(file, token);
      message = std::to_string(token);
    });
    comm::broadcast(context, 0, message);
    comm::Buffer<char> table;
    agree_after(context, [&] {
      if (context.rank() != 0) file = open_marked_checkpoint(fresh, std::stoull(message));
      const std::string block = write_rank_data(file, places.data, rank_data) +
                                write_checkpoint_block(file, places.block, particles, fields);
      file.sync();
      // Memory is allocated here, because here a failure on one rank becomes an error on all.
      table = messenger->buffer<char>(block.size());
      std::copy(block.begin(), block.end(), table.begin());
      if (context.rank() != 0) file.close();
    });
    const auto blocks = gather_tables(context, *messenger, std::move(table));
    std::string size;
    on_first_rank(context, [&] {
      report.bytes = finish_checkpoint(file, state, blocks);
      replace_keeping_previous(path);
      size = std::to_string(report.bytes);
    });
    comm::broadcast(context, 0, size);
    report.bytes = std::stoull(size);
  } catch (const FileError&) {
    if (context.rank() == 0) remove_if_possible(fresh);
    throw;
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

CheckpointReader::CheckpointReader(const comm::Context& context, const std::string& path)
    : context_(context), file_(open_for_all(context, path)) {}

void CheckpointReader::require_types(std::span<const std::string> types) const {
  const auto& written = state().types;
  if (std::equal(types.begin(), types.end(), written.begin(), written.end())) return;
  throw FileError(fmt::format("{}: was written with the particle types [{}], the input has [{}]",
                              file_.path(), comm::joined(written, ", "),
                              comm::joined(types, ", ")));
}

bool CheckpointReader::has_block_per_rank() const {
  return context_.size() == state().ranks;
}

std::pair<std::uint64_t, std::uint64_t> CheckpointReader::equal_share() const {
  const auto total = static_cast<std::uint64_t>(state().particles);
  const auto ranks = static_cast<std::uint64_t>(context_.size());
  const auto rank = static_cast<std::uint64_t>(context_.rank());
  const std::uint64_t share = total / ranks, rest = total % ranks;
  const std::uint64_t begin = rank * share + std::min(rank, rest);
  return {begin, begin + share + (rank < rest ? 1 : 0)};
}

void CheckpointReader::read_particles(ParticleStore& particles, AddedFields* fields) const {
  agree_after(context_, [&] {
    const auto [begin, end] =
        has_block_per_rank() ? file_.block_of(context_.rank()) : equal_share();
    file_.read(begin, end, &particles, fields);
  });
}

std::vector<RankData> CheckpointReader::read_rank_data() const {
  std::vector<RankData> all;
  agree_after(context_, [&] {
    for (int writer = context_.rank(); writer < state().ranks; writer += context_.size()) {
      all.push_back(file_.read_rank_data(writer));
    }
  });
  return all;
}

void CheckpointReader::verify() const {
  agree_after(context_, [&] {
    const auto [begin, end] = equal_share();
    file_.read(begin, end, nullptr);
    for (int writer = context_.rank(); writer < state().ranks; writer += context_.size()) {
      file_.read_rank_data(writer);
    }
  });
}

FoundCheckpoint find_latest_checkpoint(const comm::Context& context, const std::string& stem) {
  const std::string current = checkpoint_path(stem);
  FoundCheckpoint found;
  std::vector<std::pair<std::string, CheckpointReader>> candidates;
  bool were_complete = false;  // some refused checkpoint was complete
  // A complete .new file exists if a crash came between the two renames.
  for (const std::string& path : {current, current + ".new", current + ".previous"}) {
    std::string present;
    if (context.rank() == 0 && file_exists(path)) {
      present = CheckpointFile::is_foreign(path) ? "foreign" : "yes";
    }
    comm::broadcast(context, 0, present);
    if (present.empty()) continue;
    const bool may_be_newest = path != current + ".previous";
    try {
      candidates.emplace_back(path, CheckpointReader(context, path));
    } catch (const FileError& error) {
      found.refused.emplace_back(error.what());
      were_complete = were_complete || path != current + ".new" || present == "foreign";
      if (present == "foreign" && may_be_newest) found.would_lose_run = true;
    }
  }
  // Try the latest checkpoint first.
  sort_by(candidates, [](const auto& candidate) { return -candidate.second.state().step; });
  for (const auto& [path, reader] : candidates) {
    try {
      reader.verify();
      found.path = path;
      found.step = reader.state().step;
      break;
    } catch (const FileError& error) {
      found.refused.emplace_back(error.what());
      were_complete = were_complete || path != current + ".new";
    }
  }
  if (found.path.empty() && were_complete) found.would_lose_run = true;
  return found;
}

}  // namespace sterna::md
