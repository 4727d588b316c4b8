!> The stencil with puts and notices: stencil_mpi with the lines marked by `<--` changed.
program stencil_sterna
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use mpi_f08
  use sterna_comm                                                                       ! <--
  use stencil
  implicit none
  real(real64), allocatable, asynchronous :: outbox(:, :, :)
  real(real64), pointer, asynchronous :: inbox(:, :, :, :)                              ! <--
  type(sterna_context) :: context                                                       ! <--
  type(sterna_region) :: region                                                         ! <--
  type(sterna_remote) :: remote(6)                                                      ! <--
  integer :: rank, ranks, step
  real(real64) :: median, slowest

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  call set_up(rank, ranks)
  allocate (outbox(n, n, 6))
  call open_region()                                                                    ! <--

  do step = 1, steps
    call watch(step)
    call exchange()
    call watch(-step)
    call sweep()
  end do

  call sterna_region_destroy(region)                                                    ! <--
  call sterna_context_destroy(context)                                                  ! <--
  median = median_us()
  call mpi_reduce(median, slowest, 1, mpi_double_precision, mpi_max, 0, mpi_comm_world)
  if (rank == 0) print "(a, f10.1)", "sterna", slowest
  call write_block("sterna", rank)
  call mpi_finalize()

contains

  !> The inboxes lie in memory that the neighbors write into. There are two of each, used in turn:
  !> a neighbor that writes into the one has long taken what it wanted from this rank before.
  subroutine open_region()
    integer :: side
    integer, allocatable :: peers(:)
    allocate (peers(0))
    do side = 1, 6
      if (all(peers /= neighbor(side))) peers = [peers, neighbor(side)]
    end do
    call sterna_context_create(context, mpi_comm_world%mpi_val)
    call sterna_region_create(context, 2 * 6 * 8_int64 * n * n, peers, region)
    call c_f_pointer(sterna_region_data(region), inbox, [n, n, 6, 2])
    do side = 1, 6
      remote(side) = sterna_remote_part(region, neighbor(side))
    end do
  end subroutine

  subroutine exchange()
    integer :: side, turn
    integer(int64) :: first
    turn = mod(step, 2)
    do side = 1, 6
      call pack(side, outbox(:, :, side))
      first = 1 + int(n, int64) * n * (opposite(side) - 1 + 6 * turn)                   ! <--
      call sterna_put_notify(remote(side), outbox(:, :, side), first)                   ! <--
    end do
    do side = 1, 6
      call sterna_wait(region, neighbor(side))                                          ! <--
    end do
    call sterna_flush(region)                                                           ! <--
    do side = 1, 6
      call unpack(side, inbox(:, :, side, 1 + turn))                                    ! <--
    end do
  end subroutine

end program
