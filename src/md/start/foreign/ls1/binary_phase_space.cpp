// Reads binary phase spaces. A molecule is packed: its id (uint64), its component from 1 (uint32;
// not in IRV), then as doubles its position, velocity and (ICRVQD) quaternion and angular momentum.
// There is no magic number; the header is an XML file of its own.

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "md/core/display_text.hpp"
#include "md/start/foreign/ls1/molecule_format.hpp"
#include "md/start/foreign/ls1/phase_space.hpp"
#include "md/start/foreign/ls1/start_file.hpp"
#include "md/start/foreign/ls1/xml_values.hpp"
#include "md/start/readers/box_frame.hpp"
#include "md/start/readers/formats.hpp"
#include "md/start/readers/id_set.hpp"

namespace sterna::md::ls1 {
namespace {

[[noreturn]] void fail_file(const std::string& path, std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = std::move(message);
  throw StartFileError(std::move(diagnostic));
}

/// Whether a file has an id above Sterna's limit, as ls1's replicas of a box have, whose ids use 64
/// bits. The size of the file must be that of its molecules.
bool has_ids_beyond_largest(const FileHandle& file, std::size_t molecule_size) {
  constexpr std::size_t molecules = 4096;
  std::vector<char> buffer(molecules * molecule_size);
  for (std::uint64_t offset = 0; offset < file.size(); offset += buffer.size()) {
    const std::size_t bytes = file.read(buffer.data(), buffer.size(), offset);
    for (std::size_t at = 0; at + molecule_size <= bytes; at += molecule_size) {
      std::uint64_t id;
      std::memcpy(&id, buffer.data() + at, sizeof id);
      if (id > static_cast<std::uint64_t>(largest_id)) return true;
    }
  }
  return false;
}

/// Reads the molecules of a file one by one.
class MoleculeStream {
 public:
  MoleculeStream(std::shared_ptr<const FileHandle> file, const BinaryHeader& header,
                 std::int64_t component_count, bool keeps_ids)
      : file_(std::move(file)),
        box_(header.box),
        format_(*molecule_format(header.format)),
        component_count_(component_count),
        keeps_ids_(keeps_ids) {
    const std::uint64_t expected =
        static_cast<std::uint64_t>(header.molecules) * format_.binary_size();
    if (file_->size() != expected) {
      fail_file(file_->path(),
                fmt::format("the file has {} bytes; {} molecules of format {} take {}",
                            file_->size(), header.molecules, format_.name, expected));
    }
  }

  const std::string& path() const { return file_->path(); }
  /// If ids should be kept but exceed Sterna's limit, drops all of them and returns true.
  bool drops_wide_ids() {
    if (!keeps_ids_ || !has_ids_beyond_largest(*file_, format_.binary_size())) return false;
    keeps_ids_ = false;
    return true;
  }

  ParticleRecord next() {
    if (at_ == buffer_.size()) {
      constexpr std::size_t molecules = 4096;
      buffer_.resize(
          std::min<std::uint64_t>(molecules * format_.binary_size(), file_->size() - offset_));
      if (file_->read(buffer_.data(), buffer_.size(), offset_) != buffer_.size()) {
        fail_file(file_->path(), "the file became shorter while it was read");
      }
      offset_ += buffer_.size();
      at_ = 0;
    }
    ++number_;
    ParticleRecord record{};
    const auto id = take<std::uint64_t>();
    if (keeps_ids_) {
      record.id = static_cast<std::int64_t>(id);
      if (!ids_.insert(record.id)) fail(fmt::format("its id {} comes a second time", id));
    }
    if (format_.component) {
      const auto component = take<std::uint32_t>();
      if (component < 1 || component > component_count_) {
        fail(fmt::format("its component is {}; expected 1 to {}", component, component_count_));
      }
      record.position.type = static_cast<std::int64_t>(component) - 1;
    }
    Vec3 position = vector("position");
    for (int axis = 0; axis < 3; ++axis) {
      if (!(std::abs(position[axis]) <= BoxFrame::farthest * box_.length[axis])) {
        fail(fmt::format("it is more than {:g} box lengths away", BoxFrame::farthest));
      }
    }
    int crossings[3];
    position = box_.wrap(position, crossings);
    record.position.x = position.x;
    record.position.y = position.y;
    record.position.z = position.z;
    record.image = {crossings[0], crossings[1], crossings[2]};
    record.velocity = vector("velocity");
    if (!format_.rotation) return record;
    Quaternion& q = record.orientation;
    q.w = take<double>();
    q.x = take<double>();
    q.y = take<double>();
    q.z = take<double>();
    if (!normalize_orientation(q)) fail("the quaternion of its orientation has no direction");
    record.angular_momentum = vector("angular momentum");
    return record;
  }

 private:
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, buffer_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  Vec3 vector(std::string_view what) {
    Vec3 result;
    for (int axis = 0; axis < 3; ++axis) {
      result[axis] = take<double>();
      if (!std::isfinite(result[axis])) fail(fmt::format("its {} is not finite", what));
    }
    return result;
  }

  [[noreturn]] void fail(const std::string& message) const {
    fail_file(file_->path(), fmt::format("molecule {}: {}", number_, message));
  }

  std::shared_ptr<const FileHandle> file_;
  Box box_;
  MoleculeFormat format_;
  std::int64_t component_count_;
  bool keeps_ids_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
  std::int64_t number_ = 0;
  IdSet ids_;
};

class BinaryPhaseSpaceReader final : public StartFileReader {
 public:
  BinaryPhaseSpaceReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options)
      : BinaryPhaseSpaceReader(std::move(file), options,
                               read_binary_header(ls1_header_path(options))) {}

 private:
  BinaryPhaseSpaceReader(std::shared_ptr<const FileHandle> file, const StartFileOptions& options,
                         const BinaryHeader& header)
      : stream_(std::move(file), header, static_cast<std::int64_t>(options.type_names.size()),
                !options.renumber) {
    header_.warnings = header.warnings;
    header_.particle_count = header.molecules;
    header_.box = header.box;
    header_.has_velocities = true;
    header_.has_orientations = header_.has_angular_momenta = header.format == "ICRVQD";
    if (stream_.drops_wide_ids()) {
      renumbers_ = true;
      Diagnostic diagnostic;
      diagnostic.file = stream_.path();
      diagnostic.severity = Severity::warning;
      diagnostic.message = fmt::format(
          "ids beyond {} are not kept: molecules are numbered from 1, in the order of the file",
          largest_id);
      header_.warnings.push_back(std::move(diagnostic));
    }
    if (!options.box) return;
    for (int axis = 0; axis < 3; ++axis) {
      const double edge = header.box.length[axis];
      if (std::abs(edge - (*options.box)[axis]) <= 1e-9 * edge) continue;
      Diagnostic diagnostic;
      if (options.box_place) diagnostic = *options.box_place;
      diagnostic.severity = Severity::warning;
      diagnostic.message = fmt::format("the box of {} is taken, {} x {} x {}, as ls1 does",
                                       quote_path(ls1_header_path(options)), header.box.length.x,
                                       header.box.length.y, header.box.length.z);
      header_.warnings.push_back(std::move(diagnostic));
      break;
    }
  }

  ParticleRecord next_particle() override { return stream_.next(); }
  void check_end() override {}  // the size of the file was checked

  MoleculeStream stream_;
};

}  // namespace

BinaryHeader read_binary_header(const std::string& path) {
  try {
    const XmlElement root = read_xml(path);
    XmlValues values;
    BinaryHeader header;
    root.attribute("version");
    const XmlElement* info = values.require(root, "headerinfo");
    if (info != nullptr) {
      info->pass_over({"time"});  // read by the reader of config.xml
      constexpr std::string_view edges[3] = {"length/x", "length/y", "length/z"};
      for (int axis = 0; axis < 3; ++axis) {
        const XmlElement* edge = values.require(*info, edges[axis]);
        if (edge != nullptr) header.box.length[axis] = values.positive(*edge).value_or(1.0);
      }
      if (const XmlElement* count = values.require(*info, "number")) {
        header.molecules = values.integer(*count, 1, most_particles).value_or(1);
      }
      if (const XmlElement* format = values.require(*info, "format")) {
        const auto chosen = values.choice(*format, "type", {"ICRVQD", "ICRV", "IRV"});
        header.format = molecule_formats[chosen.value_or(0)].name;
      }
    }
    values.report_unread(root);
    for (const Diagnostic& diagnostic : values.diagnostics()) {
      if (diagnostic.severity == Severity::error) throw StartFileError(diagnostic);
    }
    header.warnings = std::move(values.diagnostics());
    return header;
  } catch (const XmlError& error) {
    throw StartFileError(error.diagnostic());
  }
}

BinaryPhaseSpace read_binary_phase_space(const std::string& header_path,
                                         const std::string& data_path,
                                         std::int64_t component_count) {
  const BinaryHeader header = read_binary_header(header_path);
  MoleculeStream stream(std::make_shared<const FileHandle>(data_path, nullptr), header,
                        component_count, false);
  BinaryPhaseSpace result;
  result.box = header.box;
  result.warnings = header.warnings;
  for (std::int64_t n = 0; n < header.molecules; ++n) result.molecules.push_back(stream.next());
  return result;
}

std::unique_ptr<StartFileReader> open_binary_phase_space(std::shared_ptr<const FileHandle> file,
                                                         const StartFileOptions& options) {
  return std::make_unique<BinaryPhaseSpaceReader>(std::move(file), options);
}

}  // namespace sterna::md::ls1
