#include "md/output/xtc_encoding.hpp"

#include "md/output/xtc_kernels.hpp"
#include "md/output/xtc_sizes.hpp"
#include "md/simd/instruction_set.hpp"

namespace sterna::md {

std::vector<const XtcKernels*> available_xtc_kernels() {
  return available_kernels<XtcKernels>(STERNA_KERNEL_FAMILY(xtc_kernels));
}

const XtcKernels& xtc_kernels() {
  static const XtcKernels& widest = select_kernels(available_xtc_kernels(), "auto");
  return widest;
}

void XtcRange::add(std::span<const XtcPoint> points) {
  xtc_kernels().add(points, *this);
}

int XtcRange::first_size() const {
  int entry = first_xtc_entry;
  while (entry < last_xtc_entry && xtc_sizes[static_cast<std::size_t>(entry)] < least_distance) {
    ++entry;
  }
  return entry;
}

std::span<const std::byte> encode_xtc(std::span<XtcPoint> points, const XtcRange& range,
                                      bool is_last, std::vector<std::byte>& room) {
  return xtc_kernels().encode(points, range, is_last, room);
}

}  // namespace sterna::md
