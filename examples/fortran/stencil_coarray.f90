!> The stencil with coarrays, the one-sided communication of the language itself.
program stencil_coarray
  use stencil
  implicit none
  real(real64), allocatable :: inbox(:, :, :, :)[:], outbox(:, :, :)
  integer, allocatable :: partners(:)
  integer :: step, side
  real(real64) :: slowest

  call set_up(this_image() - 1, num_images())
  allocate (inbox(n, n, 6, 2)[*], outbox(n, n, 6))
  allocate (partners(0))
  do side = 1, 6
    if (all(partners /= neighbor(side) + 1)) partners = [partners, neighbor(side) + 1]
  end do

  do step = 1, steps
    call watch(step)
    call exchange()
    call watch(-step)
    call sweep()
  end do

  slowest = median_us()
  call co_max(slowest)
  if (this_image() == 1) print "(a, f10.1)", "coarray", slowest
  call write_block("coarray", this_image() - 1)

contains

  !> Two inboxes in turn, as in stencil_sterna: then one synchronization a step is enough.
  subroutine exchange()
    integer :: s, turn
    turn = 1 + mod(step, 2)
    do s = 1, 6
      call pack(s, outbox(:, :, s))
      inbox(:, :, opposite(s), turn)[neighbor(s) + 1] = outbox(:, :, s)
    end do
    sync images (partners)
    do s = 1, 6
      call unpack(s, inbox(:, :, s, turn))
    end do
  end subroutine

end program
