!> The halo exchanges of a fast multipole method. Each rank has 4^3, 2^3 and 1 cells of three levels,
!> with 15 complex numbers each (expansions of order 4). It needs two cells of its neighbors all
!> around, fetched along z, then y, then x, so that the corners come along. A rank with one cell only
!> passes on the cells that it received before. Messages have 240 bytes to 31 kB.
!>
!> The program sends the same messages by mpi_irecv, mpi_isend, mpi_waitall and by puts with notices,
!> in turn.
program fmm_halo
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use sterna_comm
  use stencil, only: factors
  implicit none

  integer, parameter :: halo = 2, coefficients = 15, rounds = 500
  integer, parameter :: cells_of_level(3) = [4, 2, 1]

  !> One line of the table: to both sides along an axis, and the same from there.
  type :: stage
    integer :: level, axis, length       !< numbers in a message
    integer :: below, above              !< ranks
    integer :: first                     !< of the two messages in a buffer for all
  end type

  type(stage), allocatable :: table(:)
  complex(real64), allocatable, asynchronous :: outgoing(:), incoming(:)
  complex(real64), pointer, asynchronous :: inbox(:, :)
  type(sterna_context) :: context
  type(sterna_region) :: region
  type(sterna_remote), allocatable :: remote(:)
  integer :: rank, ranks, round, i, differences
  real(real64) :: mpi_times(rounds), sterna_times(rounds), slowest(2)

  call mpi_init()
  call mpi_comm_rank(mpi_comm_world, rank)
  call mpi_comm_size(mpi_comm_world, ranks)
  call make_table()
  call open_region()
  differences = 0
  do round = 1, rounds
    mpi_times(round) = mpi_wtime()
    call exchange_by_mpi()
    mpi_times(round) = mpi_wtime() - mpi_times(round)
    sterna_times(round) = mpi_wtime()
    call exchange_by_sterna()
    sterna_times(round) = mpi_wtime() - sterna_times(round)
    if (any(inbox(:, 1 + mod(round, 2)) /= incoming)) differences = differences + 1
  end do
  call sterna_region_destroy(region)
  call sterna_context_destroy(context)

  call mpi_allreduce(mpi_in_place, differences, 1, mpi_integer, mpi_sum, mpi_comm_world)
  call mpi_reduce([median_us(mpi_times), median_us(sterna_times)], slowest, 2, &
      mpi_double_precision, mpi_max, 0, mpi_comm_world)
  if (rank == 0) then
    print "(a)", "level axis bytes"
    do i = 1, size(table)
      print "(i5, 4x, a, i7)", table(i)%level, "xyz"(table(i)%axis:table(i)%axis), &
          16 * table(i)%length
    end do
    print "(i0, a)", 2 * size(table), " messages a rank and round; microseconds of a round:"
    print "(a, f10.1)", "mpi   ", slowest(1)
    print "(a, f10.1)", "sterna", slowest(2)
  end if
  call mpi_finalize()
  if (differences > 0) error stop "the two have not brought the same"

contains

  subroutine make_table()
    integer :: blocks(3), place(3), level, axis, hop, cells, depth, lengths(3), first
    blocks = factors(ranks)
    place = [mod(rank, blocks(1)), mod(rank / blocks(1), blocks(2)), rank / blocks(1) / blocks(2)]
    allocate (table(0))
    first = 1
    do level = 1, 3
      cells = cells_of_level(level)
      depth = min(cells, halo)
      do axis = 3, 1, -1
        lengths = merge(cells + 2 * halo, cells, [1, 2, 3] > axis)  ! the halo of axes before
        lengths(axis) = depth
        do hop = 1, halo / depth
          table = [table, stage(level, axis, coefficients * product(lengths), &
              at(place, axis, -1, blocks), at(place, axis, 1, blocks), first)]
          first = first + 2 * table(size(table))%length
        end do
      end do
    end do
    allocate (outgoing(first - 1), incoming(first - 1))
  end subroutine

  !> The rank `step` places from `place` along an axis of the periodic grid.
  pure integer function at(place, axis, step, blocks)
    integer, intent(in) :: place(3), axis, step, blocks(3)
    integer :: to(3)
    to = place
    to(axis) = modulo(to(axis) + step, blocks(axis))
    at = to(1) + blocks(1) * (to(2) + blocks(2) * to(3))
  end function

  !> Stands for the multipoles: what goes out of a stage depends on what came in before, as it does
  !> where halos are passed on.
  subroutine fill(i, came)
    integer, intent(in) :: i
    complex(real64), intent(in) :: came(:)
    integer :: k
    do k = table(i)%first, table(i)%first + 2 * table(i)%length - 1
      outgoing(k) = cmplx(rank + 0.001d0 * k, round, real64)
    end do
    if (i > 1) outgoing(table(i)%first) = came(table(i - 1)%first) + 1.0d0
  end subroutine

  subroutine exchange_by_mpi()
    type(MPI_Request) :: requests(4)
    integer :: i, n, low, high
    do i = 1, size(table)
      n = table(i)%length
      low = table(i)%first
      high = low + n
      call mpi_irecv(incoming(low:high - 1), n, mpi_double_complex, table(i)%below, 2, &
          mpi_comm_world, requests(1))
      call mpi_irecv(incoming(high:high + n - 1), n, mpi_double_complex, table(i)%above, 1, &
          mpi_comm_world, requests(2))
      call fill(i, incoming)
      call mpi_isend(outgoing(low:high - 1), n, mpi_double_complex, table(i)%below, 1, &
          mpi_comm_world, requests(3))
      call mpi_isend(outgoing(high:high + n - 1), n, mpi_double_complex, table(i)%above, 2, &
          mpi_comm_world, requests(4))
      call mpi_waitall(4, requests, mpi_statuses_ignore)
    end do
  end subroutine

  subroutine open_region()
    integer, allocatable :: peers(:)
    integer :: i, side
    allocate (peers(0), remote(0:ranks - 1))
    do i = 1, size(table)
      do side = 1, 2
        associate (peer => merge(table(i)%below, table(i)%above, side == 1))
          if (all(peers /= peer)) peers = [peers, peer]
        end associate
      end do
    end do
    call sterna_context_create(context, mpi_comm_world%mpi_val)
    call sterna_region_create(context, 2 * 16 * int(size(incoming), int64), peers, region)
    call c_f_pointer(sterna_region_data(region), inbox, [size(incoming), 2])
    do i = 1, size(peers)
      remote(peers(i)) = sterna_remote_part(region, peers(i))
    end do
  end subroutine

  subroutine exchange_by_sterna()
    integer :: i, n, low, high, turn
    integer(int64) :: there
    turn = mod(round, 2)
    there = int(turn, int64) * size(incoming)
    do i = 1, size(table)
      n = table(i)%length
      low = table(i)%first
      high = low + n
      call fill(i, inbox(:, 1 + turn))
      ! What goes below arrives there from above, in the second of the two.
      call sterna_put_notify(remote(table(i)%below), outgoing(low:high - 1), there + high)
      call sterna_put_notify(remote(table(i)%above), outgoing(high:high + n - 1), there + low)
      call sterna_wait(region, table(i)%below)
      call sterna_wait(region, table(i)%above)
    end do
    call sterna_flush(region)
  end subroutine

  real(real64) function median_us(times)
    real(real64), intent(in) :: times(:)
    integer :: k
    ! As many are smaller as are larger.
    do k = 1, size(times)
      median_us = 1d6 * times(k)
      if (count(times < times(k)) <= size(times) / 2 .and. &
          count(times <= times(k)) > size(times) / 2) return
    end do
  end function

end program
