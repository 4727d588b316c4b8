#include "md/output/xtc_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "md/core/agreement.hpp"
#include "md/core/file_error.hpp"
#include "md/output/joint_file.hpp"
#include "md/output/xdr_words.hpp"
#include "md/output/xtc_encoding.hpp"
#include "md/output/xtc_kernels.hpp"
#include "md/system/particle_fields.hpp"
#include "sterna/comm/collective.hpp"
#include "sterna/comm/reduction_batch.hpp"

namespace sterna::md {
namespace {

constexpr std::uint32_t xtc_magic = 1995;
/// A frame of at most this many atoms is written as plain numbers.
constexpr std::int64_t most_plain_atoms = 9;
/// Size of the head up to the second number of atoms, without and with it.
constexpr std::size_t head_bytes = 52, plain_head_bytes = head_bytes + 4;
/// Size of the head before the encoded points.
constexpr std::size_t full_head_bytes = 92;
constexpr std::size_t place_of_step = 8;

std::uint64_t with_padding(std::uint64_t bytes) {
  return (bytes + 3) / 4 * 4;
}

}  // namespace

class XtcWriter::Implementation {
 public:
  Implementation(const comm::Context& context, std::string path, std::int64_t particles,
                 const XtcOptions& options)
      : context_(context),
        file_(context, std::move(path)),
        particles_(particles),
        options_(options),
        precision_(static_cast<float>(1.0 / options.rounding)) {
    // All ranks have the same options, so all of them throw.
    if (options.atoms < 1) throw FileError(file_.path() + ": a trajectory needs at least one atom");
    if (options.atoms > most_atoms) {
      throw FileError(fmt::format("{}: an XTC file has at most {} atoms, the system has {}",
                                  file_.path(), most_atoms, options.atoms));
    }
    for (const std::vector<Vec3>& places : options_.places) {
      points_of_item_ = std::max(points_of_item_, places.size());
    }
    const std::size_t words = options_.places.empty() ? 3 : 1 + 3 * points_of_item_;
    item_bytes_ = words * sizeof(std::int32_t);
    redistribution_ = std::make_unique<BlockRedistribution>(context_, particles_, item_bytes_,
                                                            options_.redistribution);
  }

  void create() {
    file_.create([](RawFile&) {});
  }

  void resume(std::int64_t last_step) {
    const std::string kept = file_.resume([&](RawFile& file, bool is_new) {
      if (!is_new) keep_frames_until(file, last_step);
      return fmt::format("{} {}", end_, frames_);
    });
    end_ = std::stoull(kept);
    frames_ = std::stoll(kept.substr(kept.find(' ')));
  }

  void write_frame(std::int64_t step, double time, const Box& box, const ParticleStore& store) {
    if (step > highest_step) {
      throw FileError(
          fmt::format("{}: an XTC file counts steps up to {}", file_.path(), highest_step));
    }
    try {
      collect_points(box, store);
      write_points(step, time, box);
    } catch (...) {
      file_.take_back(end_);
      id_order_.reset();
      throw;
    }
    ++frames_;
  }

  void sync() { file_.sync(); }

  std::int64_t frames() const { return frames_; }
  const std::optional<KeptSteps>& kept_steps() const { return kept_; }

 private:
  /// On rank 0: finds the last complete frame that is not later than `last_step`, and truncates the
  /// file behind it.
  void keep_frames_until(RawFile& file, std::int64_t last_step) {
    const std::uint64_t size = file.size();
    std::array<std::byte, full_head_bytes> head{};
    kept_.emplace();
    bool is_later = false;
    while (end_ + plain_head_bytes <= size) {
      const auto here = std::min<std::uint64_t>(head.size(), size - end_);
      file.read_at(end_, std::span(head).first(here));
      // The head of a frame is written last, so an incomplete frame begins with zeros.
      const std::uint32_t first = word_at(head, 0);
      if (first == 0) break;
      const std::int64_t atoms = word_at(head, 4);
      if (first != xtc_magic) {
        throw FileError(fmt::format(
            "{}: byte {} begins no frame of an XTC file, so the run cannot go on with it; move it "
            "away",
            file_.path(), end_));
      }
      if (atoms != options_.atoms) {
        throw FileError(fmt::format("{}: it has {} atoms, the run has {}; move it away",
                                    file_.path(), atoms, options_.atoms));
      }
      is_later = word_at(head, place_of_step) > last_step;
      if (is_later) break;
      std::uint64_t length = plain_head_bytes + 12 * static_cast<std::uint64_t>(atoms);
      if (atoms > most_plain_atoms) {
        if (here < full_head_bytes) break;
        length = full_head_bytes + with_padding(word_at(head, full_head_bytes - 4));
      }
      if (end_ + length > size) break;
      if (atoms > most_plain_atoms &&
          word_at(head, plain_head_bytes) !=
              std::bit_cast<std::uint32_t>(static_cast<float>(precision_))) {
        throw FileError(fmt::format(
            "{}: the frame at byte {} has positions rounded otherwise than \"xtc_rounding\" in "
            "[output] says; put it back, or move the file away",
            file_.path(), end_));
      }
      end_ += length;
      ++frames_;
      kept_->add(word_at(head, place_of_step));
    }
    if (!is_later && end_ < size) {
      require_no_loss(*kept_, options_.interval, last_step, file_.path(), end_);
    }
    file.resize(end_);
  }

  /// Fills `points_` with the atoms of this rank's block of ids.
  void collect_points(const Box& box, const ParticleStore& store) {
    const auto ids = store.id.span().first(store.local_count());
    if (id_order_ == nullptr) id_order_ = redistribution_->order(ids);
    failure_.clear();
    const std::span<std::byte> items = redistribution_->collect(
        ids, id_order_,
        [&](std::size_t first, std::size_t count, std::byte* place, std::size_t stride) {
          options_.places.empty() ? pack_atoms(box, store, first, count, place, stride)
                                  : pack_molecules(box, store, first, count, place, stride);
        });
    const auto count = static_cast<std::int64_t>(items.size() / item_bytes_);
    is_last_ = count > 0 && redistribution_->first_slot() + count == particles_;
    if (failure_.empty() && !redistribution_->failure().empty()) {
      failure_ = file_.path() + ": " + redistribution_->failure();
    }
    agree(context_, failure_);
    if (options_.places.empty()) {
      static_assert(sizeof(XtcPoint) == 12);
      points_ = {reinterpret_cast<XtcPoint*>(items.data()), static_cast<std::size_t>(count)};
    } else {
      unpack(items);
    }
  }

  /// The center of local particle `i`, wrapped into the box.
  static Vec3 center_of(const ParticleStore& store, const Box& box, std::size_t i) {
    Vec3 center;
    for_each_field([&](const auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      if constexpr (Field::is_position) {
        const auto numbers = shown(field, store, box, i);
        center = {numbers[0], numbers[1], numbers[2]};
      }
    });
    return center;
  }

  void pack_atoms(const Box& box, const ParticleStore& store, std::size_t first, std::size_t count,
                  std::byte* items, std::size_t stride) {
    const auto positions = store.position.span().subspan(first, count);
    std::size_t done = 0;
    while (done < count) {
      // Nearly all positions are in the box; the kernel tests a vector of them at once.
      if (box.tilt.none()) {
        done += xtc_kernels().round(positions.subspan(done), precision_, box.length,
                                    items + done * stride, stride);
      }
      if (done == count) return;
      round(center_of(store, box, first + done), precision_, items + done * stride);
      ++done;
    }
  }

  void pack_molecules(const Box& given_box, const ParticleStore& store, std::size_t first,
                      std::size_t count, std::byte* items, std::size_t stride) {
    const bool turns = store.kind().rotating;
    // Local copies, because the compiler must assume that writes through bytes change the members.
    const Box box = given_box;
    const double precision = precision_;
    for (std::size_t i = first; i < first + count; ++i) {
      const Vec3 center = center_of(store, box, i);
      const auto& places = options_.places[static_cast<std::size_t>(store.position[i].type)];
      const auto atoms = static_cast<std::int32_t>(places.size());
      std::memcpy(items, &atoms, sizeof(atoms));
      std::byte* item = items + sizeof(atoms);
      for (const Vec3& place : places) {
        round(center + (turns ? store.orientation[i].to_lab(place) : place), precision, item);
        item += sizeof(XtcPoint);
      }
      // The bytes behind the atoms of a small molecule are sent, too, so they must be defined.
      std::fill(item, items + item_bytes_, std::byte{0});
      items += stride;
    }
  }

  void round(const Vec3& position, double precision, std::byte* item) {
    constexpr auto limit = static_cast<double>(XtcRange::largest_extent);
    const double x = position.x * precision, y = position.y * precision, z = position.z * precision;
    XtcPoint point{};
    if (std::fabs(x) < limit && std::fabs(y) < limit && std::fabs(z) < limit) {
      // The conversion to an integer truncates, so adding half rounds to the nearest.
      const auto rounded = [](double number) {
        return static_cast<std::int32_t>(number + std::copysign(0.5, number));
      };
      point = {rounded(x), rounded(y), rounded(z)};
    } else if (failure_.empty()) {
      const double wrong = !(std::fabs(x) < limit)   ? position.x
                           : !(std::fabs(y) < limit) ? position.y
                                                     : position.z;
      failure_ = fmt::format(
          "{}: {:.6g} is no position, or it has no place in an XTC file, where numbers rounded "
          "to {:g} end at {:.4g}",
          file_.path(), wrong, options_.rounding, limit / precision_);
    }
    std::memcpy(item, point.data(), sizeof(point));
  }

  void unpack(std::span<const std::byte> items) {
    points_of_molecules_.clear();
    for (std::size_t begin = 0; begin < items.size(); begin += item_bytes_) {
      const std::byte* item = items.data() + begin;
      std::int32_t atoms;
      std::memcpy(&atoms, item, sizeof(atoms));
      const std::size_t before = points_of_molecules_.size();
      points_of_molecules_.resize(before + static_cast<std::size_t>(atoms));
      std::memcpy(points_of_molecules_.data() + before, item + sizeof(atoms),
                  static_cast<std::size_t>(atoms) * sizeof(XtcPoint));
    }
    points_ = points_of_molecules_;
  }

  /// The extent and number of the points of all ranks.
  XtcRange range_of_all() {
    XtcRange range;
    range.add(points_);
    auto atoms = static_cast<std::int64_t>(points_.size());
    comm::ReductionBatch batch(context_, "range of an XTC frame");
    for (std::size_t axis = 0; axis < 3; ++axis) batch.min(range.least[axis]).max(range.most[axis]);
    batch.min(range.least_distance).sum(atoms);
    batch.run();
    // All ranks have the same number here, so all of them throw.
    if (atoms != options_.atoms) {
      throw FileError(fmt::format("{}: the frame has {} atoms, the first one had {}", file_.path(),
                                  atoms, options_.atoms));
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (range.most[axis] - range.least[axis] > XtcRange::largest_extent) {
        throw FileError(fmt::format(
            "{}: atoms are up to {:.6g} apart, too far for an XTC file with positions rounded to "
            "{:g}",
            file_.path(), static_cast<double>(range.most[axis] - range.least[axis]) / precision_,
            options_.rounding));
      }
    }
    return range;
  }

  void write_points(std::int64_t step, double time, const Box& box) {
    const bool is_plain = options_.atoms <= most_plain_atoms;
    const XtcRange range = range_of_all();
    std::span<const std::byte> part;
    XdrWords numbers;
    if (is_plain) {
      for (const XtcPoint& point : points_) {
        for (const std::int32_t word : point) numbers.put(word / precision_);
      }
      part = numbers.bytes();
    } else if (!points_.empty()) {
      part = encode_xtc(points_, range, is_last_, encoded_);
    }
    const auto bytes = static_cast<std::int64_t>(part.size());
    const std::int64_t before = comm::exclusive_sum(context_, bytes);
    std::int64_t total = bytes;
    comm::ReductionBatch(context_, "bytes of an XTC frame").sum(total).run();
    // All ranks have the same number here, so all of them throw.
    if (total > std::numeric_limits<std::int32_t>::max()) {
      throw FileError(fmt::format(
          "{}: the frame has {} bytes, but an XTC file counts them up to 2^31; round positions to "
          "more than {:g}",
          file_.path(), total, options_.rounding));
    }
    const std::size_t head = is_plain ? plain_head_bytes : full_head_bytes;
    const std::uint64_t length = head + with_padding(static_cast<std::uint64_t>(total));

    agree_after(context_, [&] {
      file_.raw().write_at(end_ + head + static_cast<std::uint64_t>(before), part);
      if (context_.rank() == 0) {
        const std::array<std::byte, 3> padding{};
        const std::uint64_t padded = head + static_cast<std::uint64_t>(total);
        file_.raw().write_at(end_ + padded, std::span(padding).first(length - padded));
      }
    });
    on_first_rank(context_, [&] {
      XdrWords words;
      words.put(xtc_magic).put(options_.atoms).put(step).put(time);
      for (const Vec3& edge : box.edges()) words.put(edge.x).put(edge.y).put(edge.z);
      words.put(options_.atoms);
      if (!is_plain) {
        words.put(precision_);
        for (const std::int64_t number : range.least) words.put(number);
        for (const std::int64_t number : range.most) words.put(number);
        words.put(std::int64_t{range.first_size()}).put(total);
      }
      file_.raw().write_at(end_, words.bytes());
    });
    end_ += length;
  }

  comm::Context context_;
  JointFile file_;
  std::int64_t particles_;
  XtcOptions options_;
  double precision_;
  std::size_t points_of_item_ = 1;
  std::size_t item_bytes_ = 0;
  std::unique_ptr<BlockRedistribution> redistribution_;
  std::shared_ptr<const IdOrder> id_order_;  ///< since the first frame written by this object
  std::uint64_t end_ = 0;                    ///< end of the last frame
  std::int64_t frames_ = 0;
  std::optional<KeptSteps> kept_;  ///< rank 0, of a file that is continued
  std::span<XtcPoint> points_;     ///< of this rank's block of ids
  std::vector<XtcPoint> points_of_molecules_;
  std::vector<std::byte> encoded_;  ///< work space for this rank's part
  bool is_last_ = false;            ///< whether this rank has the last particle
  std::string failure_;
};

XtcWriter::XtcWriter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
XtcWriter::~XtcWriter() = default;
XtcWriter::XtcWriter(XtcWriter&&) noexcept = default;

XtcWriter XtcWriter::create(const comm::Context& context, const std::string& path,
                            std::int64_t particles, const XtcOptions& options) {
  auto implementation = std::make_unique<Implementation>(context, path, particles, options);
  implementation->create();
  return XtcWriter(std::move(implementation));
}

XtcWriter XtcWriter::resume(const comm::Context& context, const std::string& path,
                            std::int64_t particles, const XtcOptions& options,
                            std::int64_t last_step) {
  auto implementation = std::make_unique<Implementation>(context, path, particles, options);
  implementation->resume(last_step);
  return XtcWriter(std::move(implementation));
}

void XtcWriter::write_frame(std::int64_t step, double time, const Box& box,
                            const ParticleStore& particles) {
  implementation_->write_frame(step, time, box, particles);
}

void XtcWriter::sync() {
  implementation_->sync();
}

std::int64_t XtcWriter::frame_count() const {
  return implementation_->frames();
}

const std::optional<KeptSteps>& XtcWriter::kept_steps() const {
  return implementation_->kept_steps();
}

}  // namespace sterna::md
