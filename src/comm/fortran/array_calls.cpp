// The calls of the C interface that take an array, for Fortran. The compiler passes a descriptor of
// any type, kind and rank (assumed rank, ISO/IEC TS 29113), which has the address and the size.

#include <ISO_Fortran_binding.h>

#include <cstddef>
#include <cstdint>

#include "sterna/comm/item_bytes.hpp"
#include "sterna/comm/sterna_comm.h"

namespace {

struct Array {
  void* data = nullptr;
  std::size_t item_bytes = 0;
  std::size_t bytes = 0;
  bool contiguous = true;

  explicit Array(const CFI_cdesc_t* descriptor)
      : data(descriptor->base_addr), item_bytes(descriptor->elem_len), bytes(descriptor->elem_len) {
    for (int i = 0; i < descriptor->rank; ++i) {
      const CFI_dim_t& dimension = descriptor->dim[i];
      // An array without a last extent (assumed size) does not tell its size.
      if (dimension.extent < 0) contiguous = false;
      if (dimension.extent > 1 && dimension.sm != static_cast<CFI_index_t>(bytes)) {
        contiguous = false;
      }
      bytes *= static_cast<std::size_t>(dimension.extent);
    }
    if (bytes == 0) contiguous = true;
  }
  /// Returns the address of item `first`, counted from 1, of an array of such items. If there is no
  /// such place, the result is beyond all memory.
  std::size_t offset_of(std::int64_t first) const {
    if (first < 1) return sterna::comm::too_many_bytes;
    return sterna::comm::item_bytes(static_cast<std::size_t>(first) - 1, item_bytes);
  }
};

}  // namespace

extern "C" {

/// A status of the module, in addition to those of the C interface.
enum { STERNA_ERROR_SECTION = 101 };

int sterna_fortran_put(const sterna_remote* to, const CFI_cdesc_t* source, std::int64_t first,
                       int notify) {
  const Array array(source);
  if (!array.contiguous) return STERNA_ERROR_SECTION;
  return (notify != 0 ? sterna_put_notify : sterna_put)(to, array.offset_of(first), array.data,
                                                        array.bytes);
}

int sterna_fortran_get(const sterna_remote* from, CFI_cdesc_t* target, std::int64_t first) {
  const Array array(target);
  if (!array.contiguous) return STERNA_ERROR_SECTION;
  return sterna_get(from, array.offset_of(first), array.data, array.bytes);
}

int sterna_fortran_region_register(sterna_context context, CFI_cdesc_t* memory, int peer_count,
                                   const int* peers, const char* name, sterna_region* region) {
  // Making a region is collective, so a section must be an error on all ranks. A null address is
  // one.
  const Array array(memory);
  return sterna_region_register(context, array.contiguous ? array.data : nullptr, array.bytes,
                                peer_count, peers, name, region);
}

int sterna_fortran_sparse_exchange_run(sterna_sparse_exchange exchange, int destination_count,
                                       const int* destinations, const std::size_t* offsets,
                                       const CFI_cdesc_t* items) {
  const Array array(items);
  if (!array.contiguous) return STERNA_ERROR_SECTION;
  return sterna_sparse_exchange_run(exchange, destination_count, destinations, offsets, array.data);
}

int sterna_fortran_send(sterna_messenger messenger, int rank, std::int64_t tag,
                        const CFI_cdesc_t* data, sterna_request* request) {
  const Array array(data);
  if (!array.contiguous) return STERNA_ERROR_SECTION;
  return sterna_send(messenger, rank, static_cast<std::uint64_t>(tag), array.data, array.bytes,
                     request);
}

int sterna_fortran_receive(sterna_messenger messenger, int rank, std::int64_t tag,
                           CFI_cdesc_t* buffer, sterna_request* request) {
  const Array array(buffer);
  if (!array.contiguous) return STERNA_ERROR_SECTION;
  return sterna_receive(messenger, rank, static_cast<std::uint64_t>(tag), array.data, array.bytes,
                        request);
}
}
