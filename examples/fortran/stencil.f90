!> A heat equation on a periodic grid in three dimensions, cut into blocks, one a rank. What the
!> three programs share: all but the communication.
module stencil
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none

  integer :: n = 32                              !< cells of a block along each axis
  integer :: steps = 200
  integer :: neighbor(6)                         !< ranks at the sides: -x, +x, -y, +y, -z, +z
  real(real64), allocatable :: u(:, :, :)        !< 0:n+1 along each axis
  real(real64), allocatable, private :: v(:, :, :)
  real(real64), allocatable, private :: seconds(:)  !< of each step's exchange

contains

  !> Reads n and the number of steps from the command line, cuts the grid, sets the start values.
  subroutine set_up(rank, ranks)
    integer, intent(in) :: rank, ranks
    integer :: blocks(3), place(3), to(3), axis, side, i, j, k
    character(20) :: argument
    if (command_argument_count() >= 1) then
      call get_command_argument(1, argument)
      read (argument, *) n
    end if
    if (command_argument_count() >= 2) then
      call get_command_argument(2, argument)
      read (argument, *) steps
    end if
    blocks = factors(ranks)
    place = [mod(rank, blocks(1)), mod(rank / blocks(1), blocks(2)), rank / blocks(1) / blocks(2)]
    do axis = 1, 3
      do side = 0, 1
        to = place
        to(axis) = modulo(to(axis) + 2 * side - 1, blocks(axis))
        neighbor(2 * axis - 1 + side) = to(1) + blocks(1) * (to(2) + blocks(2) * to(3))
      end do
    end do
    allocate (u(0:n + 1, 0:n + 1, 0:n + 1), v(0:n + 1, 0:n + 1, 0:n + 1), seconds(steps))
    do k = 1, n
      do j = 1, n
        do i = 1, n
          u(i, j, k) = sin(0.1d0 * (place(1) * n + i)) + cos(0.2d0 * (place(2) * n + j)) &
              + sin(0.3d0 * (place(3) * n + k))
        end do
      end do
    end do
  end subroutine

  !> Three factors, as equal as they can be.
  pure function factors(ranks) result(best)
    integer, intent(in) :: ranks
    integer :: best(3), x, y
    best = [ranks, 1, 1]
    do x = 1, ranks
      if (mod(ranks, x) /= 0) cycle
      do y = 1, x
        if (mod(ranks / x, y) /= 0 .or. ranks / x / y > y) cycle
        if (x - ranks / x / y < best(1) - best(3)) best = [x, y, ranks / x / y]
      end do
    end do
  end function

  !> The side that a neighbor sees when this rank looks at `side`.
  pure integer function opposite(side)
    integer, intent(in) :: side
    opposite = side + 1 - 2 * mod(side + 1, 2)
  end function

  !> The outermost cells of this block at a side.
  subroutine pack(side, slab)
    integer, intent(in) :: side
    real(real64), intent(out) :: slab(n, n)
    select case (side)
    case (1); slab = u(1, 1:n, 1:n)
    case (2); slab = u(n, 1:n, 1:n)
    case (3); slab = u(1:n, 1, 1:n)
    case (4); slab = u(1:n, n, 1:n)
    case (5); slab = u(1:n, 1:n, 1)
    case (6); slab = u(1:n, 1:n, n)
    end select
  end subroutine

  !> The neighbor's cells at a side.
  subroutine unpack(side, slab)
    integer, intent(in) :: side
    real(real64), intent(in) :: slab(n, n)
    select case (side)
    case (1); u(0, 1:n, 1:n) = slab
    case (2); u(n + 1, 1:n, 1:n) = slab
    case (3); u(1:n, 0, 1:n) = slab
    case (4); u(1:n, n + 1, 1:n) = slab
    case (5); u(1:n, 1:n, 0) = slab
    case (6); u(1:n, 1:n, n + 1) = slab
    end select
  end subroutine

  !> One step of the heat equation on this block.
  subroutine sweep()
    integer :: i, j, k
    do k = 1, n
      do j = 1, n
        do i = 1, n
          v(i, j, k) = u(i, j, k) + 0.1d0 * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) &
              + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1) - 6.0d0 * u(i, j, k))
        end do
      end do
    end do
    u(1:n, 1:n, 1:n) = v(1:n, 1:n, 1:n)
  end subroutine

  !> Call with the step before and after its exchange.
  subroutine watch(step)
    integer, intent(in) :: step
    integer(int64), save :: start
    integer(int64) :: now, rate
    call system_clock(now, rate)
    if (step > 0) then
      start = now
    else
      seconds(-step) = real(now - start, real64) / real(rate, real64)
    end if
  end subroutine

  !> Microseconds of an exchange: the median of the steps but the first ten.
  real(real64) function median_us()
    real(real64), allocatable :: sorted(:)
    real(real64) :: value
    integer :: i, j
    allocate (sorted, source=1d6 * seconds(min(11, steps):))
    do i = 2, size(sorted)
      value = sorted(i)
      j = i - 1
      do while (j >= 1)
        if (sorted(j) <= value) exit
        sorted(j + 1) = sorted(j)
        j = j - 1
      end do
      sorted(j + 1) = value
    end do
    median_us = sorted((size(sorted) + 1) / 2)
  end function

  !> Writes this block, bit for bit, to NAME.RANK, where the third argument names a folder.
  subroutine write_block(name, rank)
    character(*), intent(in) :: name
    integer, intent(in) :: rank
    character(1000) :: folder
    character(20) :: number
    integer :: unit
    if (command_argument_count() < 3) return
    call get_command_argument(3, folder)
    write (number, "(i0)") rank
    open (newunit=unit, file=trim(folder)//"/"//name//"."//trim(number), access="stream", &
        form="unformatted", status="replace")
    write (unit) u(1:n, 1:n, 1:n)
    close (unit)
  end subroutine

end module
