!> The multipole method for Fortran: the calls of sterna/fmm.h, whose comments apply here too, over the
!> contexts of the module sterna_comm. Positions and fields are arrays of the shape (3, n).
!>
!> Each procedure has an optional `status` as its last argument, as those of sterna_comm have.
module sterna_fmm
  use, intrinsic :: iso_c_binding
  use sterna_comm
  implicit none
  private

  integer, parameter, public :: sterna_fmm_field = 0
  integer, parameter, public :: sterna_fmm_potential = 1
  integer, parameter, public :: sterna_fmm_energy = 2
  integer, parameter, public :: sterna_fmm_absolute_field = 3
  integer, parameter, public :: sterna_fmm_absolute_potential = 4
  integer, parameter, public :: sterna_fmm_absolute_energy = 5
  integer, parameter, public :: sterna_fmm_conductor = 0
  integer, parameter, public :: sterna_fmm_vacuum = 1

  type, bind(c), public :: sterna_fmm_solver
    integer(c_int64_t) :: id = 0
  end type
  !> The errors that the last tuning has measured; the first three are relative.
  type, bind(c), public :: sterna_fmm_errors
    real(c_double) :: field = 0, potential = 0, energy = 0
    real(c_double) :: absolute_field = 0, absolute_potential = 0, absolute_energy = 0
  end type

  type, bind(c) :: options
    real(c_double) :: accuracy = 0
    integer(c_int) :: tolerance = 0, surroundings = 0, order = 0
  end type

  public :: sterna_fmm_create, sterna_fmm_destroy, sterna_fmm_set_box, sterna_fmm_tune
  public :: sterna_fmm_compute, sterna_fmm_get_errors, sterna_fmm_description

  interface
    integer(c_int) function c_create(context, edges, given, solver) bind(c, name="sterna_fmm_create")
      import
      type(sterna_context), value :: context
      type(c_ptr), value :: edges
      type(options), intent(in) :: given
      type(sterna_fmm_solver), intent(inout) :: solver
    end function
    integer(c_int) function c_destroy(solver) bind(c, name="sterna_fmm_destroy")
      import
      type(sterna_fmm_solver), intent(inout) :: solver
    end function
    integer(c_int) function c_set_box(solver, edges) bind(c, name="sterna_fmm_set_box")
      import
      type(sterna_fmm_solver), value :: solver
      real(c_double), intent(in) :: edges(3, 3)
    end function
    integer(c_int) function c_tune(solver, count, positions, charges) &
        bind(c, name="sterna_fmm_tune")
      import
      type(sterna_fmm_solver), value :: solver
      integer(c_size_t), value :: count
      type(c_ptr), value :: positions, charges
    end function
    integer(c_int) function c_compute(solver, count, positions, charges, potentials, fields, &
        energy, virial) bind(c, name="sterna_fmm_compute")
      import
      type(sterna_fmm_solver), value :: solver
      integer(c_size_t), value :: count
      type(c_ptr), value :: positions, charges, potentials, fields, energy, virial
    end function
    integer(c_int) function c_get_errors(solver, errors) bind(c, name="sterna_fmm_get_errors")
      import
      type(sterna_fmm_solver), value :: solver
      type(sterna_fmm_errors), intent(inout) :: errors
    end function
    integer(c_int) function c_description(solver, description) &
        bind(c, name="sterna_fmm_description")
      import
      type(sterna_fmm_solver), value :: solver
      type(c_ptr), intent(inout) :: description
    end function
  end interface

contains

  !> `edges`: of a periodic box, edges(:, k) is the k-th; without it there are no images.
  subroutine sterna_fmm_create(context, solver, edges, accuracy, tolerance, surroundings, order, &
      status)
    type(sterna_context), intent(in) :: context
    type(sterna_fmm_solver), intent(inout) :: solver
    real(c_double), intent(in), target, optional :: edges(3, 3)
    real(c_double), intent(in), optional :: accuracy
    integer, intent(in), optional :: tolerance, surroundings, order
    integer, intent(out), optional :: status
    type(options) :: given
    real(c_double), target :: kept(3, 3)
    type(c_ptr) :: at
    at = c_null_ptr
    if (present(edges)) then
      kept = edges
      at = c_loc(kept)
    end if
    if (present(accuracy)) given%accuracy = accuracy
    if (present(tolerance)) given%tolerance = int(tolerance, c_int)
    if (present(surroundings)) given%surroundings = int(surroundings, c_int)
    if (present(order)) given%order = int(order, c_int)
    call sterna_conclude(c_create(context, at, given, solver), status)
  end subroutine

  subroutine sterna_fmm_destroy(solver, status)
    type(sterna_fmm_solver), intent(inout) :: solver
    integer, intent(out), optional :: status
    call sterna_conclude(c_destroy(solver), status)
  end subroutine

  subroutine sterna_fmm_set_box(solver, edges, status)
    type(sterna_fmm_solver), intent(in) :: solver
    real(c_double), intent(in) :: edges(3, 3)
    integer, intent(out), optional :: status
    call sterna_conclude(c_set_box(solver, edges), status)
  end subroutine

  subroutine sterna_fmm_tune(solver, positions, charges, status)
    type(sterna_fmm_solver), intent(in) :: solver
    real(c_double), intent(in), contiguous, target :: positions(:, :), charges(:)
    integer, intent(out), optional :: status
    call sterna_conclude(c_tune(solver, count_of(positions, charges), &
        place_of_vectors(positions, size(charges)), place_of(charges)), status)
  end subroutine

  !> `virial`: on all ranks or on none. Arrays that do not fit are refused: the message tells of 0
  !> coordinates or, for potentials and fields, of 0 potentials.
  subroutine sterna_fmm_compute(solver, positions, charges, potentials, fields, energy, virial, &
      status)
    type(sterna_fmm_solver), intent(in) :: solver
    real(c_double), intent(in), contiguous, target :: positions(:, :), charges(:)
    real(c_double), intent(inout), contiguous, target :: potentials(:)
    real(c_double), intent(inout), contiguous, target, optional :: fields(:, :)
    real(c_double), intent(out), optional :: energy
    real(c_double), intent(out), optional :: virial(3, 3)
    integer, intent(out), optional :: status
    real(c_double), target :: sum, tensor(3, 3)
    type(c_ptr) :: of_potentials, of_fields, of_virial
    integer(c_int) :: code
    sum = 0
    tensor = 0
    of_potentials = c_null_ptr
    if (size(potentials) == size(charges)) of_potentials = place_of(potentials)
    of_fields = c_null_ptr
    if (present(fields)) of_fields = place_of_vectors(fields, size(charges))
    if (present(fields) .and. .not. c_associated(of_fields)) of_potentials = c_null_ptr
    of_virial = c_null_ptr
    if (present(virial)) of_virial = c_loc(tensor)
    code = c_compute(solver, count_of(positions, charges), &
        place_of_vectors(positions, size(charges)), place_of(charges), of_potentials, of_fields, &
        c_loc(sum), of_virial)
    if (present(energy)) energy = sum
    if (present(virial)) virial = tensor
    call sterna_conclude(code, status)
  end subroutine

  function sterna_fmm_get_errors(solver, status) result(errors)
    type(sterna_fmm_solver), intent(in) :: solver
    integer, intent(out), optional :: status
    type(sterna_fmm_errors) :: errors
    call sterna_conclude(c_get_errors(solver, errors), status)
  end function

  !> The parameters in words.
  function sterna_fmm_description(solver, status) result(description)
    type(sterna_fmm_solver), intent(in) :: solver
    integer, intent(out), optional :: status
    character(:), allocatable :: description
    type(c_ptr) :: at
    at = c_null_ptr
    call sterna_conclude(c_description(solver, at), status)
    description = sterna_text(at)
  end function

  !> The number of particles; the larger one where the arrays differ, so that the library refuses them.
  pure integer(c_size_t) function count_of(positions, charges)
    real(c_double), intent(in) :: positions(:, :), charges(:)
    count_of = max(size(charges, kind=c_size_t), size(positions, 2, kind=c_size_t))
  end function

  function place_of(numbers)
    real(c_double), intent(in), contiguous, target :: numbers(:)
    type(c_ptr) :: place_of
    place_of = c_null_ptr
    if (size(numbers) > 0) place_of = c_loc(numbers(1))
  end function

  !> A null pointer, which the library refuses, where the shape is not (3, count).
  function place_of_vectors(vectors, count)
    real(c_double), intent(in), contiguous, target :: vectors(:, :)
    integer, intent(in) :: count
    type(c_ptr) :: place_of_vectors
    place_of_vectors = c_null_ptr
    if (size(vectors, 1) /= 3 .or. size(vectors, 2) /= count .or. count == 0) return
    place_of_vectors = c_loc(vectors(1, 1))
  end function

end module
