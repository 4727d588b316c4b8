#include "md/output/frame_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/cross_product.hpp"
#include "md/core/file_error.hpp"
#include "md/output/joint_file.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

/// A particle in the message to the rank that writes it. Orientation, velocity, angular momentum
/// and force follow, as far as the frames need them.
struct FrameParticle {
  std::int64_t id;
  std::int32_t type;
  std::array<std::int32_t, 3> image;
  Vec3 position;
};

template <class Value>
void put_and_pass(std::byte*& at, const Value& value) {
  std::memcpy(at, &value, sizeof(value));
  at += sizeof(value);
}
template <class Value>
void take_and_pass(const std::byte*& at, Value& value) {
  std::memcpy(&value, at, sizeof(value));
  at += sizeof(value);
}

/// The angular velocity of a body in its own frame; 0 about an axis without inertia.
Vec3 turning_rate(const Vec3& momentum, const Vec3& inertia) {
  const auto rate = [](double l, double i) { return i > 0.0 ? l / i : 0.0; };
  return {rate(momentum.x, inertia.x), rate(momentum.y, inertia.y), rate(momentum.z, inertia.z)};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

class FrameFile::Implementation {
 public:
  Implementation(const comm::Context& context, std::string path,
                 std::unique_ptr<FrameFormat> format, const ParticleStore& store,
                 FrameFileOptions options)
      : context_(context),
        file_(context, std::move(path)),
        format_(std::move(format)),
        options_(std::move(options)),
        encoded_(static_cast<std::size_t>(format_->block_count())) {
    choose(store);
    const auto [particles, atoms] = count(store);
    content_ = {.atoms = atoms,
                .frames = 0,
                .first_step = 0,
                .interval = options_.interval,
                .time_per_step = 0.0};
    // All ranks have the same numbers here, so all of them throw.
    if (atoms < 1 && !options_.numbers_change)
      throw FileError(file_.path() + ": a trajectory needs at least one atom");
    if (atoms > format_->most_atoms()) {
      throw FileError(
          fmt::format("{}: a file of this format has at most {} atoms, the frames have {}",
                      file_.path(), format_->most_atoms(), atoms));
    }
    turns_ = !options_.places.empty() && store.kind().rotating;
    item_bytes_ = sizeof(FrameParticle) + (turns_ ? sizeof(Quaternion) : 0) +
                  (format_->has_velocities() ? (turns_ ? 2 : 1) * sizeof(Vec3) : 0) +
                  (format_->has_forces() ? sizeof(Vec3) : 0);
    make_redistribution(particles);
  }

  void create() {
    file_.create([this](RawFile& file) { write_file_head(file); });
    end_ = format_->file_head(content_).size();
  }

  void resume(std::int64_t last_step) {
    std::string kept = file_.resume([&](RawFile& file, bool is_new) {
      keep_frames_until(file, is_new, last_step);
      return fmt::format("{} {} {}", end_, content_.frames, content_.first_step);
    });
    std::size_t at = 0;
    end_ = std::stoull(kept, &at);
    kept.erase(0, at);
    content_.frames = std::stoll(kept, &at);
    content_.first_step = std::stoll(kept.substr(at));
  }

  bool is_due(std::int64_t step) const { return step % options_.interval == 0; }
  std::int64_t interval() const { return options_.interval; }
  const std::string& path() const { return file_.path(); }

  void write_frame(std::int64_t step, double time, double potential_energy, const Box& box,
                   const ParticleStore& store) {
    if (step > format_->last_step()) {
      throw FileError(fmt::format("{}: a file of this format counts steps up to {}", file_.path(),
                                  format_->last_step()));
    }
    const FrameFileContent before = content_;
    try {
      collect(box, store);
      if (content_.frames == 0) content_.first_step = step;
      if (step > 0) content_.time_per_step = time / static_cast<double>(step);
      ++content_.frames;
      write(FrameHead{step, time, box, content_.atoms, potential_energy});
    } catch (...) {
      content_ = before;
      file_.take_back(end_);
      id_order_.reset();
      throw;
    }
  }

  void sync() { file_.sync(); }

  std::int64_t frames() const { return content_.frames; }
  const std::optional<KeptSteps>& kept_steps() const { return kept_; }

 private:
  std::int64_t atoms_of(std::int64_t type) const {
    if (options_.places.empty()) return 1;
    return static_cast<std::int64_t>(options_.places[static_cast<std::size_t>(type)].size());
  }

  /// Fills `chosen_` and `ids_` with this rank's particles that frames contain.
  void choose(const ParticleStore& store) {
    chosen_.resize(store.local_count());
    std::iota(chosen_.begin(), chosen_.end(), 0U);
    if (options_.chosen) {
      std::erase_if(chosen_, [&](std::uint32_t i) {
        return !options_.chosen(store.id[i], store.position[i].type);
      });
    }
    ids_.clear();
    for (const std::uint32_t i : chosen_) ids_.push_back(store.id[i]);
  }

  /// Collective. The numbers of the chosen particles and of their atoms, on all ranks.
  std::pair<std::int64_t, std::int64_t> count(const ParticleStore& store) const {
    auto particles = static_cast<std::int64_t>(ids_.size());
    std::int64_t atoms = 0;
    for (const std::uint32_t i : chosen_) atoms += atoms_of(store.position[i].type);
    comm::ReductionBatch(context_, "atoms of a trajectory").sum(particles).sum(atoms).run();
    return {particles, atoms};
  }

  /// Collective. Null if there are no particles.
  void make_redistribution(std::int64_t particles) {
    redistribution_.reset();
    id_order_.reset();
    if (particles == 0) return;
    redistribution_ = std::make_unique<BlockRedistribution>(context_, particles, item_bytes_,
                                                            options_.redistribution);
  }

  void write_file_head(RawFile& file) const {
    file.write_at(0, bytes_of(format_->file_head(content_)));
  }

  /// On rank 0: finds the last complete frame that is not later than `last_step`, and truncates the
  /// file behind it.
  void keep_frames_until(RawFile& file, bool is_new, std::int64_t last_step) {
    end_ = format_->file_head(content_).size();
    if (is_new) {
      write_file_head(file);
      return;
    }
    const std::uint64_t size = file.size();
    if (size < end_) {
      throw FileError(
          fmt::format("{}: it ends at byte {}, within its head; move it away", file_.path(), size));
    }
    format_->read_file_head(file, content_);
    kept_.emplace();
    std::optional<FrameFormat::Found> found;
    while (end_ < size) {
      found = format_->find_frame(file, end_, size, content_.frames, content_);
      if (!found || found->step > last_step) break;
      if (found->atoms != content_.atoms && !options_.numbers_change) {
        throw FileError(fmt::format("{}: it has {} atoms, the run has {}; move it away",
                                    file_.path(), found->atoms, content_.atoms));
      }
      if (content_.frames == 0) content_.first_step = found->step;
      end_ = found->end;
      ++content_.frames;
      kept_->add(found->step);
    }
    if (end_ < size && !found) {
      require_no_loss(*kept_, options_.interval, last_step, file_.path(), end_);
    }
    if (const auto missing = kept_->first_missing(options_.interval, last_step);
        missing && content_.frames > 0 && format_->counts_frames()) {
      throw FileError(fmt::format(
          "{}: it has no frames from step {} to {}, and the format has no place for the steps of "
          "those that would follow; move it away",
          file_.path(), *missing, last_step));
    }
    file.resize(end_);
    write_file_head(file);
  }

  /// Fills `encoded_` with the atoms of this rank's block of ids.
  void collect(const Box& box, const ParticleStore& store) {
    choose(store);
    if (options_.numbers_change) {
      const auto [particles, atoms] = count(store);
      content_.atoms = atoms;
      make_redistribution(particles);
    }
    if (redistribution_ == nullptr) {
      for (std::string& bytes : encoded_) bytes.clear();
      return;
    }
    if (id_order_ == nullptr) id_order_ = redistribution_->order(ids_);
    for (std::string& bytes : encoded_) bytes.clear();
    redistribution_->plan(ids_, id_order_);
    for (std::int64_t piece = 0; piece < redistribution_->piece_count(); ++piece) {
      const auto rows = redistribution_->exchange(
          piece, [&](std::span<const std::uint32_t> particles, std::byte* items,
                     std::size_t stride) { pack(box, store, particles, items, stride); });
      encode(rows.items);
    }
    const std::string& failure = redistribution_->failure();
    agree(context_, failure.empty() ? failure : file_.path() + ": " + failure);
  }

  void pack(const Box& box, const ParticleStore& store, std::span<const std::uint32_t> particles,
            std::byte* items, std::size_t stride) const {
    for (const std::uint32_t place : particles) {
      const std::uint32_t i = chosen_[place];
      FrameParticle particle{};
      particle.id = store.id[i];
      particle.type = static_cast<std::int32_t>(store.position[i].type);
      for_each_field([&](const auto& field) {
        using Field = std::remove_cvref_t<decltype(field)>;
        if constexpr (Field::is_position) {
          const auto at = shown(field, store, box, i);
          particle.position = {at[0], at[1], at[2]};
        } else if constexpr (Field::is_image) {
          const auto image = shown(field, store, box, i);
          std::copy(image.begin(), image.end(), particle.image.begin());
        }
      });
      std::byte* item = items;
      put_and_pass(item, particle);
      if (turns_) put_and_pass(item, store.orientation[i]);
      if (format_->has_velocities()) {
        put_and_pass(item, store.velocity[i]);
        if (turns_) put_and_pass(item, store.angular_momentum[i]);
      }
      if (format_->has_forces()) put_and_pass(item, store.force[i]);
      items += stride;
    }
  }

  void encode(std::span<const std::byte> items) {
    atoms_.clear();
    for (std::size_t at = 0; at < items.size(); at += item_bytes_) {
      const std::byte* item = items.data() + at;
      FrameParticle particle;
      take_and_pass(item, particle);
      FrameAtom atom{.id = particle.id,
                     .type = particle.type,
                     .site = 0,
                     .image = particle.image,
                     .position = particle.position,
                     .velocity = {},
                     .force = {}};
      Quaternion orientation;
      if (turns_) take_and_pass(item, orientation);
      Vec3 angular_momentum{};
      if (format_->has_velocities()) {
        take_and_pass(item, atom.velocity);
        if (turns_) take_and_pass(item, angular_momentum);
      }
      if (format_->has_forces()) take_and_pass(item, atom.force);
      if (options_.places.empty()) {
        atoms_.push_back(atom);
        continue;
      }
      const auto type = static_cast<std::size_t>(atom.type);
      const Vec3 center_velocity = atom.velocity;
      const Vec3 turning = orientation.to_lab(
          turning_rate(orientation.to_body(angular_momentum), options_.inertia[type]));
      for (const Vec3& place : options_.places[type]) {
        const Vec3 arm = orientation.to_lab(place);
        atom.position = particle.position + arm;
        atom.velocity = center_velocity + cross(turning, arm);
        atoms_.push_back(atom);
        ++atom.site;
      }
    }
    for (std::size_t block = 0; block < encoded_.size(); ++block) {
      format_->encode(static_cast<int>(block), atoms_, encoded_[block]);
    }
  }

  void write(const FrameHead& head) {
    const std::string first = format_->frame_head(head);
    std::uint64_t at = end_ + first.size();
    for (std::size_t block = 0; block < encoded_.size(); ++block) {
      const std::string begin = format_->block_begin(static_cast<int>(block), content_.atoms);
      const std::string end = format_->block_end(static_cast<int>(block), content_.atoms);
      auto total = static_cast<std::int64_t>(encoded_[block].size());
      const std::int64_t before = comm::exclusive_sum(context_, total);
      comm::ReductionBatch(context_, "bytes of a frame").sum(total).run();
      agree_after(context_, [&] {
        file_.raw().write_at(at + begin.size() + static_cast<std::uint64_t>(before),
                             bytes_of(encoded_[block]));
        if (context_.rank() != 0) return;
        file_.raw().write_at(at, bytes_of(begin));
        file_.raw().write_at(at + begin.size() + static_cast<std::uint64_t>(total), bytes_of(end));
      });
      at += begin.size() + static_cast<std::uint64_t>(total) + end.size();
    }
    on_first_rank(context_, [&] {
      file_.raw().write_at(end_, bytes_of(first));
      write_file_head(file_.raw());
    });
    end_ = at;
  }

  comm::Context context_;
  JointFile file_;
  std::unique_ptr<FrameFormat> format_;
  FrameFileOptions options_;
  FrameFileContent content_{};
  std::optional<KeptSteps> kept_;  ///< rank 0, of a file that is continued
  bool turns_ = false;             ///< whether atoms depend on orientations
  std::size_t item_bytes_ = 0;
  std::unique_ptr<BlockRedistribution> redistribution_;
  std::shared_ptr<const IdOrder> id_order_;  ///< since the first frame written by this object
  std::uint64_t end_ = 0;                    ///< end of the last frame
  std::vector<std::uint32_t> chosen_;
  std::vector<std::int64_t> ids_;
  std::vector<FrameAtom> atoms_;
  std::vector<std::string> encoded_;  ///< for each block of the format, this rank's part
};

FrameFile::FrameFile(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
FrameFile::~FrameFile() = default;
FrameFile::FrameFile(FrameFile&&) noexcept = default;

FrameFile FrameFile::create(const comm::Context& context, const std::string& path,
                            std::unique_ptr<FrameFormat> format, const ParticleStore& particles,
                            FrameFileOptions options) {
  auto made = std::make_unique<Implementation>(context, path, std::move(format), particles,
                                               std::move(options));
  made->create();
  return FrameFile(std::move(made));
}

FrameFile FrameFile::resume(const comm::Context& context, const std::string& path,
                            std::unique_ptr<FrameFormat> format, const ParticleStore& particles,
                            FrameFileOptions options, std::int64_t last_step) {
  auto made = std::make_unique<Implementation>(context, path, std::move(format), particles,
                                               std::move(options));
  made->resume(last_step);
  return FrameFile(std::move(made));
}

bool FrameFile::is_due(std::int64_t step) const {
  return implementation_->is_due(step);
}

void FrameFile::write_frame(std::int64_t step, double time, double potential_energy, const Box& box,
                            const ParticleStore& particles) {
  implementation_->write_frame(step, time, potential_energy, box, particles);
}

void FrameFile::sync() {
  implementation_->sync();
}

std::int64_t FrameFile::frame_count() const {
  return implementation_->frames();
}

const std::optional<KeptSteps>& FrameFile::kept_steps() const {
  return implementation_->kept_steps();
}

std::int64_t FrameFile::interval() const {
  return implementation_->interval();
}

const std::string& FrameFile::path() const {
  return implementation_->path();
}

}  // namespace sterna::md
