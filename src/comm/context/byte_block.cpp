#include "comm/context/byte_block.hpp"

#include <algorithm>

namespace sterna::comm {

void ByteBlock::make_type(std::size_t bytes) {
  // The block size is a power of two, so that blocks are aligned to pages, which makes the
  // single-copy transports faster.
  const std::size_t block = std::min<std::size_t>(std::size_t{1} << 30, largest_count());
  const std::size_t blocks = bytes / block;
  MPI_Datatype one_block, all_blocks;
  MPI_Type_contiguous(static_cast<int>(block), MPI_BYTE, &one_block);
  MPI_Type_contiguous(static_cast<int>(blocks), one_block, &all_blocks);
  const int lengths[] = {1, static_cast<int>(bytes - blocks * block)};
  const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(blocks * block)};
  const MPI_Datatype types[] = {all_blocks, MPI_BYTE};
  MPI_Type_create_struct(2, lengths, offsets, types, &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&all_blocks);
  MPI_Type_free(&one_block);
  count_ = 1;
}

void ByteBlock::free_type() {
  MPI_Type_free(&type_);
}

}  // namespace sterna::comm
