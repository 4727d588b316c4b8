!> The stencil with mpi_irecv, mpi_isend and mpi_waitall.
program stencil_mpi
  use mpi_f08
  use stencil
  implicit none
  real(real64), allocatable, asynchronous :: inbox(:, :, :), outbox(:, :, :)
  type(MPI_Request) :: requests(12)
  integer :: rank, ranks, step
  real(real64) :: median, slowest

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  call set_up(rank, ranks)
  allocate (inbox(n, n, 6), outbox(n, n, 6))

  do step = 1, steps
    call watch(step)
    call exchange()
    call watch(-step)
    call sweep()
  end do

  median = median_us()
  call mpi_reduce(median, slowest, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world)
  if (rank == 0) print "(a, f10.1)", "mpi", slowest
  call write_block("mpi", rank)
  call mpi_finalize()

contains

  subroutine exchange()
    integer :: side
    do side = 1, 6
      call mpi_irecv(inbox(:, :, side), n * n, mpi_double_precision, neighbor(side), &
          opposite(side), mpi_comm_world, requests(side))
    end do
    do side = 1, 6
      call pack(side, outbox(:, :, side))
      call mpi_isend(outbox(:, :, side), n * n, mpi_double_precision, neighbor(side), side, &
          mpi_comm_world, requests(6 + side))
    end do
    call mpi_waitall(12, requests, mpi_statuses_ignore)
    do side = 1, 6
      call unpack(side, inbox(:, :, side))
    end do
  end subroutine

end program
