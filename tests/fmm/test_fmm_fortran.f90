! The multipole method from Fortran: results that are known, and what wrong calls give.
program test_fmm_fortran
  use, intrinsic :: iso_c_binding
  use sterna_comm
  use sterna_fmm
  implicit none
  type(sterna_context) :: world
  type(sterna_fmm_solver) :: solver, other
  type(sterna_fmm_errors) :: errors
  real(c_double), parameter :: madelung = 1.7475645946332d0
  real(c_double) :: edges(3, 3), energy, virial(3, 3)
  real(c_double), allocatable :: positions(:, :), charges(:), potentials(:), fields(:, :)
  integer :: rank, ranks, i, x, y, z, failures, status

  failures = 0
  call sterna_initialize()
  call sterna_context_create(world)
  rank = sterna_context_rank(world)
  ranks = sterna_context_size(world)

  ! Rock salt of 512 ions at the distance 1.
  allocate (positions(3, 0), charges(0))
  do i = rank, 511, ranks
    x = mod(i, 8)
    y = mod(i/8, 8)
    z = i/64
    positions = reshape([positions, [x, y, z] + 0.25d0], [3, size(charges) + 1])
    charges = [charges, merge(1.0d0, -1.0d0, mod(x + y + z, 2) == 0)]
  end do
  allocate (potentials(size(charges)), fields(3, size(charges)))
  edges = 0
  edges(1, 1) = 8
  edges(2, 2) = 8
  edges(3, 3) = 8
  call sterna_fmm_create(world, solver, edges, accuracy=1.0d-8, tolerance=sterna_fmm_potential)
  call sterna_fmm_tune(solver, positions, charges)
  call sterna_fmm_compute(solver, positions, charges, potentials, fields, energy, virial)
  call check(abs(energy/256 + madelung) < 1e-7, "the energy of rock salt")
  call check(all(abs(potentials + charges*madelung) < 1e-6), "potentials")
  call check(all(abs(fields) < 1e-5), "fields")
  call check(abs(virial(1, 1) - energy/3) < 1e-6*abs(energy), "virial")
  errors = sterna_fmm_get_errors(solver)
  call check(errors%potential <= 1.0d-8, "errors")
  call check(index(sterna_fmm_description(solver), "order") == 1, "description")
  call sterna_fmm_set_box(solver, 2*edges)
  call sterna_fmm_compute(solver, 2*positions, charges, potentials, energy=energy)
  call check(abs(energy/128 + madelung) < 1e-7, "a wider box")

  call sterna_fmm_compute(solver, positions(1:2, :), charges, potentials, status=status)
  call check(status == sterna_error_argument .and. &
      index(sterna_error_message(), "0 coordinates") > 0, "two coordinates for each charge")
  call sterna_fmm_compute(solver, positions, charges, potentials(2:), status=status)
  call check(status == sterna_error_argument .and. &
      index(sterna_error_message(), "0 potentials") > 0, "too few potentials")
  call sterna_fmm_compute(solver, positions, charges, potentials, fields(:, 2:), status=status)
  call check(status == sterna_error_argument, "too few fields")
  call sterna_fmm_compute(solver, positions, charges(1:0), potentials, status=status)
  call check(status == sterna_error_argument .and. &
      index(sterna_error_message(), "0 coordinates") > 0, "positions without charges")
  call sterna_fmm_create(world, other, accuracy=-1.0d0, status=status)
  call check(status == sterna_error_argument .and. &
      index(sterna_error_message(), "accuracy of -1") > 0, "a negative accuracy")

  ! Without images.
  call sterna_fmm_create(world, other)
  call sterna_fmm_compute(other, positions, charges, potentials, fields, energy)
  call check(energy < -256*1.5d0 .and. energy > -256*madelung, "a crystal in vacuum")
  call sterna_fmm_destroy(other)
  call sterna_fmm_destroy(solver)
  call sterna_fmm_destroy(solver, status)
  call check(status == sterna_error_handle, "destroyed twice")
  call sterna_context_destroy(world)
  call sterna_finalize()
  if (failures > 0) stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print "(a, i0, 4a)", "rank ", rank, ": ", what, "; last message: ", sterna_error_message()
  end subroutine

end program
