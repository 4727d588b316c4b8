#include "comm/transport/rma/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "comm/context/agreement.hpp"
#include "comm/context/memory_need.hpp"
#include "comm/context/mpi_error.hpp"

namespace sterna::comm::rma {
namespace {

/// Parts have whole pages, so that two ranks share no page.
constexpr std::size_t page = 4096;
constexpr std::size_t window_alignment = 128;

}  // namespace

Memory::Memory(Context::Implementation& context, std::size_t bytes, Epoch epoch,
               std::string_view exchange_name, Begin begin)
    : bytes_(std::max<std::size_t>(bytes, 1)), epoch_(epoch) {
  require_memory_on_all(context, {.window = bytes_}, exchange_name);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "same_disp_unit", "true");
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Info_set(info, "mpi_minimum_memory_alignment", "128");
  if (epoch == Epoch::active) MPI_Info_set(info, "no_locks", "true");
  void* base = nullptr;
  const std::size_t filling = begin == Begin::aligned ? window_alignment : 0;
  const std::size_t allocated = (bytes_ + filling + page - 1) / page * page;
  const int code = MPI_Win_allocate(static_cast<MPI_Aint>(allocated), 1, info, context.communicator,
                                    &base, &window_);
  MPI_Info_free(&info);
  check_mpi(code, "allocating a window");
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  if (begin == Begin::aligned) begin_ = -reinterpret_cast<std::uintptr_t>(base) % window_alignment;
  data_ = static_cast<std::byte*>(base) + begin_;
  std::memset(data_, 0, bytes_);
  int* model = nullptr;
  int known = 0;
  MPI_Win_get_attr(window_, MPI_WIN_MODEL, &model, &known);
  unified_ = known != 0 && *model == MPI_WIN_UNIFIED;
  if (epoch == Epoch::passive) {
    check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "locking a window");
    MPI_Win_sync(window_);
  }
  largest(context, 0, exchange_name);  // no rank writes before all memory is zero
}

Memory::~Memory() {
  if (Context::Implementation::mpi_has_ended()) return;
  if (epoch_ == Epoch::passive) MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

}  // namespace sterna::comm::rma
