#include "md/observe/particle_past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"

namespace sterna::md {

ParticlePast::ParticlePast(const comm::Context& context, std::string name, std::size_t most,
                           std::vector<AtomGroup> groups)
    : context_(context),
      name_(std::move(name)),
      most_(most),
      groups_(std::move(groups)),
      keepers_(context, name_) {}

void ParticlePast::take() {
  if (first_column_.empty()) find_columns();
  if (past_.size() == most_) {
    std::rotate(past_.begin(), past_.end() - 1, past_.end());
  } else {
    past_.insert(past_.begin(), std::vector<Vec3>());
  }
  past_.front().clear();
  for (const Item& item : keepers_.items()) past_.front().push_back(item.value);
}

void ParticlePast::find_columns() {
  ids_.clear();
  columns_.clear();
  first_column_.assign(1, 0);
  for (const Item& item : keepers_.items()) {
    ids_.push_back(item.id);
    if (groups_.empty()) columns_.push_back(static_cast<std::size_t>(item.type));
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].contains(item.id, item.type)) columns_.push_back(g);
    }
    first_column_.push_back(columns_.size());
  }
}

std::vector<std::span<const std::byte>> ParticlePast::history() const {
  if (past_.empty()) return {};
  std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(ids_))};
  for (const std::vector<Vec3>& values : past_) pieces.push_back(std::as_bytes(std::span(values)));
  return pieces;
}

void ParticlePast::set_history(std::span<Observer::History> parts, std::int64_t samples) {
  past_.clear();
  past_.resize(std::min(most_, static_cast<std::size_t>(samples)));
  const std::size_t pieces = past_.empty() ? 0 : past_.size() + 1;
  std::vector<std::int64_t> ids;
  agree_after(context_, [&] {
    for (const Observer::History& part : parts) {
      const std::size_t count = part.empty() ? 0 : part[0].size() / sizeof(std::int64_t);
      bool fits = part.size() == pieces;
      for (std::size_t k = 1; k < part.size(); ++k) {
        fits = fits && part[k].size() == count * sizeof(Vec3);
      }
      if (!fits) {
        throw FileError(fmt::format("the checkpoint's history of [{}] contradicts itself", name_));
      }
      const std::size_t before = ids.size();
      ids.resize(before + count);
      if (count > 0) std::memcpy(ids.data() + before, part[0].data(), count * sizeof(ids[0]));
    }
  });
  std::vector<Vec3> values(ids.size());
  for (std::size_t lag = 0; lag < past_.size(); ++lag) {
    std::size_t at = 0;
    for (Observer::History& part : parts) {
      const std::size_t count = part[lag + 1].size() / sizeof(Vec3);
      if (count > 0) std::memcpy(values.data() + at, part[lag + 1].data(), count * sizeof(Vec3));
      at += count;
      part[lag + 1] = {};
    }
    keepers_.collect(ids.size(), [&](std::size_t i) { return Item{ids[i], values[i], -1}; });
    for (const Item& item : keepers_.items()) past_[lag].push_back(item.value);
  }
  ids_.clear();
  for (const Item& item : keepers_.items()) ids_.push_back(item.id);
}

}  // namespace sterna::md
