!> The communication library for Fortran: the calls of sterna_comm.h, whose comments apply here too.
!> Arrays may have any type, kind and rank. Numbers begin as is usual in Fortran: ranks at 0 as in
!> MPI, items and neighbors at 1.
!>
!> Each procedure has an optional `status` as its last argument. Without it, an error ends the job
!> on all ranks with a message. With it, the program goes on, and `sterna_error_message()` has the
!> text. Handles need no initial value.
!>
!> Arrays must be contiguous. For a section that is not, the status is sterna_error_section.
module sterna_comm
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: sterna_success = 0
  integer, parameter, public :: sterna_error_handle = 1
  integer, parameter, public :: sterna_error_argument = 2
  integer, parameter, public :: sterna_error_range = 3
  integer, parameter, public :: sterna_error_memory = 4
  integer, parameter, public :: sterna_error_communication = 5
  integer, parameter, public :: sterna_error_internal = 6
  integer, parameter, public :: sterna_error_section = 101

  type, bind(c), public :: sterna_context
    integer(c_int64_t) :: id = 0
  end type
  type, bind(c), public :: sterna_region
    integer(c_int64_t) :: id = 0
  end type
  !> A place in a region at some rank. It means the same on all ranks of the context.
  type, bind(c), public :: sterna_remote
    integer(c_int64_t) :: region = 0
    integer(c_int64_t) :: offset = 0
    integer(c_int64_t) :: bytes = 0
    integer(c_int64_t) :: rank = 0
  end type
  type, bind(c), public :: sterna_neighbor_exchange
    integer(c_int64_t) :: id = 0
  end type
  type, bind(c), public :: sterna_sparse_exchange
    integer(c_int64_t) :: id = 0
  end type

  type, bind(c), public :: sterna_messenger
    integer(c_int64_t) :: id = 0
  end type
  type, bind(c), public :: sterna_request
    integer(c_int64_t) :: id = 0
  end type

  type, bind(c) :: neighbor
    integer(c_int64_t) :: rank
    integer(c_int64_t) :: send_capacity
    integer(c_int64_t) :: receive_capacity
  end type

  public :: sterna_error_message
  public :: sterna_conclude, sterna_text  ! for modules upon this one
  public :: sterna_initialize, sterna_finalize, sterna_abort
  public :: sterna_context_create, sterna_context_destroy, sterna_context_rank, sterna_context_size
  public :: sterna_context_set_timeout, sterna_barrier
  public :: sterna_region_create, sterna_region_register, sterna_region_destroy
  public :: sterna_region_data, sterna_region_bytes, sterna_region_transport
  public :: sterna_remote_handle, sterna_remote_part
  public :: sterna_put, sterna_put_notify, sterna_get, sterna_fetch_add, sterna_flush
  public :: sterna_notify, sterna_notices, sterna_wait
  public :: sterna_neighbor_exchange_create, sterna_neighbor_exchange_destroy
  public :: sterna_neighbor_exchange_method, sterna_neighbor_exchange_ranks
  public :: sterna_neighbor_outbox, sterna_neighbor_commit, sterna_neighbor_start
  public :: sterna_neighbor_next, sterna_neighbor_inbox, sterna_neighbor_finish
  public :: sterna_neighbor_reserve
  public :: sterna_sparse_exchange_create, sterna_sparse_exchange_destroy
  public :: sterna_sparse_exchange_method, sterna_sparse_exchange_run
  public :: sterna_sparse_exchange_result
  public :: sterna_messenger_create, sterna_messenger_destroy
  public :: sterna_send, sterna_receive, sterna_request_wait, sterna_request_test

  interface sterna_conclude
    module procedure conclude
  end interface
  interface sterna_text
    module procedure text
  end interface

  interface
    function c_error_message() bind(c, name="sterna_error_message")
      import
      type(c_ptr) :: c_error_message
    end function
    integer(c_int) function c_initialize() bind(c, name="sterna_initialize")
      import
    end function
    integer(c_int) function c_finalize() bind(c, name="sterna_finalize")
      import
    end function
    subroutine c_abort(message, exit_code) bind(c, name="sterna_abort")
      import
      character(kind=c_char), intent(in) :: message(*)
      integer(c_int), value :: exit_code
    end subroutine

    integer(c_int) function c_context_create(communicator, context) &
        bind(c, name="sterna_context_create")
      import
      type(c_ptr), value :: communicator
      type(sterna_context), intent(inout) :: context
    end function
    integer(c_int) function c_context_create_from_fortran(communicator, context) &
        bind(c, name="sterna_context_create_from_fortran")
      import
      integer(c_int), value :: communicator
      type(sterna_context), intent(inout) :: context
    end function
    integer(c_int) function c_context_destroy(context) bind(c, name="sterna_context_destroy")
      import
      type(sterna_context), intent(inout) :: context
    end function
    integer(c_int) function c_context_rank(context, rank) bind(c, name="sterna_context_rank")
      import
      type(sterna_context), value :: context
      integer(c_int), intent(inout) :: rank
    end function
    integer(c_int) function c_context_size(context, size) bind(c, name="sterna_context_size")
      import
      type(sterna_context), value :: context
      integer(c_int), intent(inout) :: size
    end function
    integer(c_int) function c_context_set_timeout(context, seconds) &
        bind(c, name="sterna_context_set_timeout")
      import
      type(sterna_context), value :: context
      real(c_double), value :: seconds
    end function
    integer(c_int) function c_barrier(context) bind(c, name="sterna_barrier")
      import
      type(sterna_context), value :: context
    end function

    integer(c_int) function c_region_create(context, bytes, peer_count, peers, transport, name, &
        region) bind(c, name="sterna_region_create")
      import
      type(sterna_context), value :: context
      integer(c_size_t), value :: bytes
      integer(c_int), value :: peer_count
      integer(c_int), intent(in) :: peers(*)
      character(kind=c_char), intent(in) :: transport(*), name(*)
      type(sterna_region), intent(inout) :: region
    end function
    integer(c_int) function c_region_register(context, memory, peer_count, peers, name, region) &
        bind(c, name="sterna_fortran_region_register")
      import
      type(sterna_context), value :: context
      type(*), dimension(..), intent(in), asynchronous :: memory
      integer(c_int), value :: peer_count
      integer(c_int), intent(in) :: peers(*)
      character(kind=c_char), intent(in) :: name(*)
      type(sterna_region), intent(inout) :: region
    end function
    integer(c_int) function c_region_destroy(region) bind(c, name="sterna_region_destroy")
      import
      type(sterna_region), intent(inout) :: region
    end function
    integer(c_int) function c_region_data(region, data) bind(c, name="sterna_region_data")
      import
      type(sterna_region), value :: region
      type(c_ptr), intent(inout) :: data
    end function
    integer(c_int) function c_region_bytes(region, bytes) bind(c, name="sterna_region_bytes")
      import
      type(sterna_region), value :: region
      integer(c_size_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_region_transport(region, transport) &
        bind(c, name="sterna_region_transport")
      import
      type(sterna_region), value :: region
      type(c_ptr), intent(inout) :: transport
    end function

    integer(c_int) function c_remote_handle(region, rank, offset, bytes, remote) &
        bind(c, name="sterna_remote_handle")
      import
      type(sterna_region), value :: region
      integer(c_int), value :: rank
      integer(c_size_t), value :: offset, bytes
      type(sterna_remote), intent(inout) :: remote
    end function
    integer(c_int) function c_remote_part(region, rank, remote) bind(c, name="sterna_remote_part")
      import
      type(sterna_region), value :: region
      integer(c_int), value :: rank
      type(sterna_remote), intent(inout) :: remote
    end function
    integer(c_int) function c_put(to, source, first, notify) bind(c, name="sterna_fortran_put")
      import
      type(sterna_remote), intent(in) :: to
      type(*), dimension(..), intent(in), asynchronous :: source
      integer(c_int64_t), value :: first
      integer(c_int), value :: notify
    end function
    integer(c_int) function c_get(from, target, first) bind(c, name="sterna_fortran_get")
      import
      type(sterna_remote), intent(in) :: from
      type(*), dimension(..), intent(inout), asynchronous :: target
      integer(c_int64_t), value :: first
    end function
    integer(c_int) function c_fetch_add(at, offset, addend, before) bind(c, name="sterna_fetch_add")
      import
      type(sterna_remote), intent(in) :: at
      integer(c_size_t), value :: offset
      integer(c_int64_t), value :: addend
      integer(c_int64_t), intent(inout) :: before
    end function
    integer(c_int) function c_flush(region) bind(c, name="sterna_flush")
      import
      type(sterna_region), value :: region
    end function
    integer(c_int) function c_notify(region, rank) bind(c, name="sterna_notify")
      import
      type(sterna_region), value :: region
      integer(c_int), value :: rank
    end function
    integer(c_int) function c_notices(region, rank, count) bind(c, name="sterna_notices")
      import
      type(sterna_region), value :: region
      integer(c_int), value :: rank
      integer(c_int64_t), intent(inout) :: count
    end function
    integer(c_int) function c_wait_count(region, rank, count) bind(c, name="sterna_wait_count")
      import
      type(sterna_region), value :: region
      integer(c_int), value :: rank
      integer(c_int64_t), value :: count
    end function
    integer(c_int) function c_wait(region, rank) bind(c, name="sterna_wait")
      import
      type(sterna_region), value :: region
      integer(c_int), value :: rank
    end function

    integer(c_int) function c_neighbor_exchange_create(context, neighbor_count, neighbors, &
        item_bytes, method, name, exchange) bind(c, name="sterna_neighbor_exchange_create")
      import
      type(sterna_context), value :: context
      integer(c_int), value :: neighbor_count
      type(neighbor), intent(in) :: neighbors(*)
      integer(c_size_t), value :: item_bytes
      character(kind=c_char), intent(in) :: method(*), name(*)
      type(sterna_neighbor_exchange), intent(inout) :: exchange
    end function
    integer(c_int) function c_neighbor_exchange_destroy(exchange) &
        bind(c, name="sterna_neighbor_exchange_destroy")
      import
      type(sterna_neighbor_exchange), intent(inout) :: exchange
    end function
    integer(c_int) function c_neighbor_exchange_neighbors(exchange, neighbor_count, neighbors) &
        bind(c, name="sterna_neighbor_exchange_neighbors")
      import
      type(sterna_neighbor_exchange), value :: exchange
      integer(c_int), intent(inout) :: neighbor_count
      type(c_ptr), intent(inout) :: neighbors
    end function
    integer(c_int) function c_neighbor_exchange_method(exchange, method) &
        bind(c, name="sterna_neighbor_exchange_method")
      import
      type(sterna_neighbor_exchange), value :: exchange
      type(c_ptr), intent(inout) :: method
    end function
    integer(c_int) function c_neighbor_outbox(exchange, index, data) &
        bind(c, name="sterna_neighbor_outbox")
      import
      type(sterna_neighbor_exchange), value :: exchange
      integer(c_int), value :: index
      type(c_ptr), intent(inout) :: data
    end function
    integer(c_int) function c_neighbor_commit(exchange, index, count) &
        bind(c, name="sterna_neighbor_commit")
      import
      type(sterna_neighbor_exchange), value :: exchange
      integer(c_int), value :: index
      integer(c_size_t), value :: count
    end function
    integer(c_int) function c_neighbor_start(exchange) bind(c, name="sterna_neighbor_start")
      import
      type(sterna_neighbor_exchange), value :: exchange
    end function
    integer(c_int) function c_neighbor_next(exchange, index) bind(c, name="sterna_neighbor_next")
      import
      type(sterna_neighbor_exchange), value :: exchange
      integer(c_int), intent(inout) :: index
    end function
    integer(c_int) function c_neighbor_inbox(exchange, index, data, count) &
        bind(c, name="sterna_neighbor_inbox")
      import
      type(sterna_neighbor_exchange), value :: exchange
      integer(c_int), value :: index
      type(c_ptr), intent(inout) :: data
      integer(c_size_t), intent(inout) :: count
    end function
    integer(c_int) function c_neighbor_finish(exchange) bind(c, name="sterna_neighbor_finish")
      import
      type(sterna_neighbor_exchange), value :: exchange
    end function
    integer(c_int) function c_neighbor_reserve(exchange, send_counts) &
        bind(c, name="sterna_neighbor_reserve")
      import
      type(sterna_neighbor_exchange), value :: exchange
      integer(c_size_t), intent(in) :: send_counts(*)
    end function

    integer(c_int) function c_sparse_exchange_create(context, item_bytes, method, &
        possible_source_count, possible_sources, name, exchange) &
        bind(c, name="sterna_sparse_exchange_create")
      import
      type(sterna_context), value :: context
      integer(c_size_t), value :: item_bytes
      character(kind=c_char), intent(in) :: method(*)
      integer(c_int), value :: possible_source_count
      integer(c_int), intent(in) :: possible_sources(*)
      character(kind=c_char), intent(in) :: name(*)
      type(sterna_sparse_exchange), intent(inout) :: exchange
    end function
    integer(c_int) function c_sparse_exchange_destroy(exchange) &
        bind(c, name="sterna_sparse_exchange_destroy")
      import
      type(sterna_sparse_exchange), intent(inout) :: exchange
    end function
    integer(c_int) function c_sparse_exchange_method(exchange, method) &
        bind(c, name="sterna_sparse_exchange_method")
      import
      type(sterna_sparse_exchange), value :: exchange
      type(c_ptr), intent(inout) :: method
    end function
    integer(c_int) function c_sparse_exchange_run(exchange, destination_count, destinations, &
        offsets, items) bind(c, name="sterna_fortran_sparse_exchange_run")
      import
      type(sterna_sparse_exchange), value :: exchange
      integer(c_int), value :: destination_count
      integer(c_int), intent(in) :: destinations(*)
      integer(c_size_t), intent(in) :: offsets(*)
      type(*), dimension(..), intent(in) :: items
    end function
    integer(c_int) function c_sparse_exchange_result(exchange, source_count, sources, offsets, &
        items) bind(c, name="sterna_sparse_exchange_result")
      import
      type(sterna_sparse_exchange), value :: exchange
      integer(c_int), intent(inout) :: source_count
      type(c_ptr), intent(inout) :: sources, offsets, items
    end function

    integer(c_int) function c_messenger_create(context, name, messenger) &
        bind(c, name="sterna_messenger_create")
      import
      type(sterna_context), value :: context
      character(kind=c_char), intent(in) :: name(*)
      type(sterna_messenger), intent(inout) :: messenger
    end function
    integer(c_int) function c_messenger_destroy(messenger) bind(c, name="sterna_messenger_destroy")
      import
      type(sterna_messenger), intent(inout) :: messenger
    end function
    integer(c_int) function c_send(messenger, rank, tag, data, request) &
        bind(c, name="sterna_fortran_send")
      import
      type(sterna_messenger), value :: messenger
      integer(c_int), value :: rank
      integer(c_int64_t), value :: tag
      type(*), dimension(..), intent(in), asynchronous :: data
      type(sterna_request), intent(inout) :: request
    end function
    integer(c_int) function c_receive(messenger, rank, tag, buffer, request) &
        bind(c, name="sterna_fortran_receive")
      import
      type(sterna_messenger), value :: messenger
      integer(c_int), value :: rank
      integer(c_int64_t), value :: tag
      type(*), dimension(..), intent(inout), asynchronous :: buffer
      type(sterna_request), intent(inout) :: request
    end function
    integer(c_int) function c_request_wait(request, bytes) bind(c, name="sterna_request_wait")
      import
      type(sterna_request), intent(inout) :: request
      integer(c_size_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_request_test(request, done, bytes) &
        bind(c, name="sterna_request_test")
      import
      type(sterna_request), intent(inout) :: request
      integer(c_int), intent(inout) :: done
      integer(c_size_t), intent(inout) :: bytes
    end function

    pure integer(c_size_t) function c_strlen(text) bind(c, name="strlen")
      import
      type(c_ptr), value, intent(in) :: text
    end function
  end interface

  interface sterna_wait
    module procedure wait_for_next, wait_for_count
  end interface

  character(*), parameter :: section_message = &
      "sterna_comm: the array is a section that is not contiguous; copy it into a buffer before"

  logical :: section_was_last = .false.

contains

  ! ---- errors and strings ----------------------------------------------------------------------

  !> Returns the message of the last call that failed.
  function sterna_error_message() result(message)
    character(:), allocatable :: message
    if (section_was_last) then
      message = section_message
    else
      message = text(c_error_message())
    end if
  end function

  !> Ends each call: stores the status, or ends the job.
  subroutine conclude(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (code /= sterna_success) section_was_last = code == sterna_error_section
    if (present(status)) then
      status = code
    else if (code /= sterna_success) then
      call sterna_abort(sterna_error_message(), 1)
    end if
  end subroutine

  !> Turns a string of C into one of Fortran.
  function text(pointer)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(pointer)) then
      text = ""
      return
    end if
    call c_f_pointer(pointer, letters, [c_strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> Turns an optional string of Fortran into one of C.
  function c_text(given, otherwise)
    character(*), intent(in), optional :: given
    character(*), intent(in) :: otherwise
    character(kind=c_char, len=:), allocatable :: c_text
    if (present(given)) then
      c_text = trim(given)//c_null_char
    else
      c_text = otherwise//c_null_char
    end if
  end function

  ! ---- life of the program ---------------------------------------------------------------------

  !> Starts MPI, unless the program has started it.
  subroutine sterna_initialize(status)
    integer, intent(out), optional :: status
    call conclude(c_initialize(), status)
  end subroutine

  !> Ends MPI, if sterna_initialize has started it.
  subroutine sterna_finalize(status)
    integer, intent(out), optional :: status
    call conclude(c_finalize(), status)
  end subroutine

  !> Ends the job on all ranks.
  subroutine sterna_abort(message, exit_code)
    character(*), intent(in) :: message
    integer, intent(in) :: exit_code
    call c_abort(message//c_null_char, int(exit_code, c_int))
  end subroutine

  ! ---- context ---------------------------------------------------------------------------------

  !> Makes a context. `communicator` is one of MPI's Fortran interface: an integer, or the component
  !> mpi_val of a type(MPI_Comm). Without it, the context has all ranks of the job. Collective.
  subroutine sterna_context_create(context, communicator, status)
    type(sterna_context), intent(inout) :: context
    integer, intent(in), optional :: communicator
    integer, intent(out), optional :: status
    if (present(communicator)) then
      call conclude(c_context_create_from_fortran(int(communicator, c_int), context), status)
    else
      call conclude(c_context_create(c_null_ptr, context), status)
    end if
  end subroutine

  subroutine sterna_context_destroy(context, status)
    type(sterna_context), intent(inout) :: context
    integer, intent(out), optional :: status
    call conclude(c_context_destroy(context), status)
  end subroutine

  integer function sterna_context_rank(context, status) result(rank)
    type(sterna_context), intent(in) :: context
    integer, intent(out), optional :: status
    integer(c_int) :: value
    value = -1
    call conclude(c_context_rank(context, value), status)
    rank = value
  end function

  integer function sterna_context_size(context, status) result(ranks)
    type(sterna_context), intent(in) :: context
    integer, intent(out), optional :: status
    integer(c_int) :: value
    value = -1
    call conclude(c_context_size(context, value), status)
    ranks = value
  end function

  !> Sets the longest time that any wait may take.
  subroutine sterna_context_set_timeout(context, seconds, status)
    type(sterna_context), intent(in) :: context
    real(c_double), intent(in) :: seconds
    integer, intent(out), optional :: status
    call conclude(c_context_set_timeout(context, seconds), status)
  end subroutine

  !> Returns when all ranks have called it. Collective.
  subroutine sterna_barrier(context, status)
    type(sterna_context), intent(in) :: context
    integer, intent(out), optional :: status
    call conclude(c_barrier(context), status)
  end subroutine

  ! ---- regions ---------------------------------------------------------------------------------

  !> Makes a region in memory of the library, filled with zeros; sterna_region_data and c_f_pointer
  !> make an array of it. `peers`: ranks that write here and that this rank writes to. Collective,
  !> as is the next subroutine.
  subroutine sterna_region_create(context, bytes, peers, region, transport, name, status)
    type(sterna_context), intent(in) :: context
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(in) :: peers(:)
    type(sterna_region), intent(inout) :: region
    character(*), intent(in), optional :: transport, name
    integer, intent(out), optional :: status
    call conclude(c_region_create(context, int(bytes, c_size_t), int(size(peers), c_int), &
        int(peers, c_int), c_text(transport, "auto"), c_text(name, "region"), region), status)
  end subroutine

  !> Makes a region in memory of the program: a contiguous array of any type and rank that outlives
  !> the region and has the attribute `asynchronous` where it is used. By "rdma" only; see
  !> sterna_comm.h.
  subroutine sterna_region_register(context, memory, peers, region, name, status)
    type(sterna_context), intent(in) :: context
    type(*), dimension(..), intent(in), asynchronous :: memory
    integer, intent(in) :: peers(:)
    type(sterna_region), intent(inout) :: region
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    call conclude(c_region_register(context, memory, int(size(peers), c_int), int(peers, c_int), &
        c_text(name, "region"), region), status)
  end subroutine

  !> Destroys a region. Collective.
  subroutine sterna_region_destroy(region, status)
    type(sterna_region), intent(inout) :: region
    integer, intent(out), optional :: status
    call conclude(c_region_destroy(region), status)
  end subroutine

  type(c_ptr) function sterna_region_data(region, status) result(data)
    type(sterna_region), intent(in) :: region
    integer, intent(out), optional :: status
    data = c_null_ptr
    call conclude(c_region_data(region, data), status)
  end function

  integer(c_int64_t) function sterna_region_bytes(region, status) result(bytes)
    type(sterna_region), intent(in) :: region
    integer, intent(out), optional :: status
    bytes = -1
    call conclude(c_region_bytes(region, bytes), status)
  end function

  function sterna_region_transport(region, status) result(transport)
    type(sterna_region), intent(in) :: region
    integer, intent(out), optional :: status
    character(:), allocatable :: transport
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call conclude(c_region_transport(region, pointer), status)
    transport = text(pointer)
  end function

  !> Returns a handle of `bytes` bytes at `offset` (in bytes, from 0) of the part of `rank`.
  type(sterna_remote) function sterna_remote_handle(region, rank, offset, bytes, status) &
      result(remote)
    type(sterna_region), intent(in) :: region
    integer, intent(in) :: rank
    integer(c_int64_t), intent(in) :: offset, bytes
    integer, intent(out), optional :: status
    call conclude(c_remote_handle(region, int(rank, c_int), int(offset, c_size_t), &
        int(bytes, c_size_t), remote), status)
  end function

  !> Returns a handle of the whole part of `rank`.
  type(sterna_remote) function sterna_remote_part(region, rank, status) result(remote)
    type(sterna_region), intent(in) :: region
    integer, intent(in) :: rank
    integer, intent(out), optional :: status
    call conclude(c_remote_part(region, int(rank, c_int), remote), status)
  end function

  !> Begins to write the array at item `first` of the place `to`, counted in such items (1 by
  !> default). The array must stay unchanged until sterna_flush.
  subroutine sterna_put(to, source, first, status)
    type(sterna_remote), intent(in) :: to
    type(*), dimension(..), intent(in), asynchronous :: source
    integer(c_int64_t), intent(in), optional :: first
    integer, intent(out), optional :: status
    call conclude(c_put(to, source, from_one(first), 0_c_int), status)
  end subroutine

  !> Begins the same put, and sends a notice after it.
  subroutine sterna_put_notify(to, source, first, status)
    type(sterna_remote), intent(in) :: to
    type(*), dimension(..), intent(in), asynchronous :: source
    integer(c_int64_t), intent(in), optional :: first
    integer, intent(out), optional :: status
    call conclude(c_put(to, source, from_one(first), 1_c_int), status)
  end subroutine

  !> Begins to read; the array is filled after sterna_flush.
  subroutine sterna_get(from, target, first, status)
    type(sterna_remote), intent(in) :: from
    type(*), dimension(..), intent(inout), asynchronous :: target
    integer(c_int64_t), intent(in), optional :: first
    integer, intent(out), optional :: status
    call conclude(c_get(from, target, from_one(first)), status)
  end subroutine

  pure integer(c_int64_t) function from_one(first)
    integer(c_int64_t), intent(in), optional :: first
    from_one = 1
    if (present(first)) from_one = first
  end function

  !> Adds atomically to integer `first` of 8 bytes, and returns its previous value.
  integer(c_int64_t) function sterna_fetch_add(at, addend, first, status) result(before)
    type(sterna_remote), intent(in) :: at
    integer(c_int64_t), intent(in) :: addend
    integer(c_int64_t), intent(in), optional :: first
    integer, intent(out), optional :: status
    integer(c_int64_t) :: place
    before = 0
    place = from_one(first)
    ! A place that cannot be counted in bytes is clamped, so that the product does not wrap around
    ! to a valid place.
    if (place < 1 .or. place > shiftr(huge(place), 3)) place = shiftr(huge(place), 3)
    call conclude(c_fetch_add(at, 8 * (place - 1), addend, before), status)
  end function

  !> Waits until all that this rank has begun in the region is complete.
  subroutine sterna_flush(region, status)
    type(sterna_region), intent(in) :: region
    integer, intent(out), optional :: status
    call conclude(c_flush(region), status)
  end subroutine

  subroutine sterna_notify(region, rank, status)
    type(sterna_region), intent(in) :: region
    integer, intent(in) :: rank
    integer, intent(out), optional :: status
    call conclude(c_notify(region, int(rank, c_int)), status)
  end subroutine

  !> Returns the number of notices that `rank` has sent to this rank.
  integer(c_int64_t) function sterna_notices(region, rank, status) result(count)
    type(sterna_region), intent(in) :: region
    integer, intent(in) :: rank
    integer, intent(out), optional :: status
    count = -1
    call conclude(c_notices(region, int(rank, c_int), count), status)
  end function

  subroutine wait_for_next(region, rank, status)
    type(sterna_region), intent(in) :: region
    integer, intent(in) :: rank
    integer, intent(out), optional :: status
    call conclude(c_wait(region, int(rank, c_int)), status)
  end subroutine

  subroutine wait_for_count(region, rank, count, status)
    type(sterna_region), intent(in) :: region
    integer, intent(in) :: rank
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: status
    call conclude(c_wait_count(region, int(rank, c_int), count), status)
  end subroutine

  ! ---- neighbor exchange -----------------------------------------------------------------------

  !> Makes an exchange with `ranks`, with at most these numbers of items of `item_bytes` either way.
  !> Collective.
  subroutine sterna_neighbor_exchange_create(context, ranks, send_capacities, receive_capacities, &
      item_bytes, exchange, method, name, status)
    type(sterna_context), intent(in) :: context
    integer, intent(in) :: ranks(:)
    integer(c_int64_t), intent(in) :: send_capacities(size(ranks))
    integer(c_int64_t), intent(in) :: receive_capacities(size(ranks))
    integer, intent(in) :: item_bytes
    type(sterna_neighbor_exchange), intent(inout) :: exchange
    character(*), intent(in), optional :: method, name
    integer, intent(out), optional :: status
    type(neighbor) :: neighbors(size(ranks))
    neighbors%rank = ranks
    neighbors%send_capacity = send_capacities
    neighbors%receive_capacity = receive_capacities
    call conclude(c_neighbor_exchange_create(context, int(size(ranks), c_int), neighbors, &
        int(item_bytes, c_size_t), c_text(method, "auto"), c_text(name, "neighbor exchange"), &
        exchange), status)
  end subroutine

  !> Destroys the exchange. Collective.
  subroutine sterna_neighbor_exchange_destroy(exchange, status)
    type(sterna_neighbor_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    call conclude(c_neighbor_exchange_destroy(exchange), status)
  end subroutine

  !> Returns the neighbors' ranks, ascending: neighbor i has rank ranks(i).
  function sterna_neighbor_exchange_ranks(exchange, status) result(ranks)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    integer, allocatable :: ranks(:)
    integer(c_int) :: count
    type(c_ptr) :: pointer
    type(neighbor), pointer :: neighbors(:)
    count = 0
    pointer = c_null_ptr
    call conclude(c_neighbor_exchange_neighbors(exchange, count, pointer), status)
    if (count == 0) then
      allocate (ranks(0))
    else
      call c_f_pointer(pointer, neighbors, [count])
      ranks = int(neighbors%rank)
    end if
  end function

  function sterna_neighbor_exchange_method(exchange, status) result(method)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    character(:), allocatable :: method
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call conclude(c_neighbor_exchange_method(exchange, pointer), status)
    method = text(pointer)
  end function

  !> Gives the send buffer for a neighbor; c_f_pointer makes an array of it. Ask for it in each
  !> round.
  type(c_ptr) function sterna_neighbor_outbox(exchange, neighbor, status) result(data)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(in) :: neighbor
    integer, intent(out), optional :: status
    data = c_null_ptr
    call conclude(c_neighbor_outbox(exchange, int(neighbor - 1, c_int), data), status)
  end function

  !> Declares that the outbox has `count` items; they may leave at once.
  subroutine sterna_neighbor_commit(exchange, neighbor, count, status)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(in) :: neighbor
    integer(c_int64_t), intent(in) :: count
    integer, intent(out), optional :: status
    call conclude(c_neighbor_commit(exchange, int(neighbor - 1, c_int), int(count, c_size_t)), &
        status)
  end subroutine

  subroutine sterna_neighbor_start(exchange, status)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    call conclude(c_neighbor_start(exchange), status)
  end subroutine

  !> Returns a neighbor whose items have arrived, in order of arrival; 0 after the last one.
  integer function sterna_neighbor_next(exchange, status) result(neighbor)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    integer(c_int) :: index
    index = -1
    call conclude(c_neighbor_next(exchange, index), status)
    neighbor = index + 1
  end function

  !> Gives the items that arrived: `count` items at `data`, valid until the next start.
  subroutine sterna_neighbor_inbox(exchange, neighbor, data, count, status)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(in) :: neighbor
    type(c_ptr), intent(inout) :: data
    integer(c_int64_t), intent(inout) :: count
    integer, intent(out), optional :: status
    call conclude(c_neighbor_inbox(exchange, int(neighbor - 1, c_int), data, count), status)
  end subroutine

  subroutine sterna_neighbor_finish(exchange, status)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    call conclude(c_neighbor_finish(exchange), status)
  end subroutine

  !> Raises each send capacity to at least the given number of items, in the order of the ranks.
  !> Collective.
  subroutine sterna_neighbor_reserve(exchange, send_counts, status)
    type(sterna_neighbor_exchange), intent(in) :: exchange
    integer(c_int64_t), intent(in) :: send_counts(:)
    integer, intent(out), optional :: status
    call conclude(c_neighbor_reserve(exchange, int(send_counts, c_size_t)), status)
  end subroutine

  ! ---- sparse exchange -------------------------------------------------------------------------

  !> Makes an exchange whose receivers do not know their senders. `possible_sources`: the few ranks
  !> that may send, if they are known. Collective, as are the next two procedures.
  subroutine sterna_sparse_exchange_create(context, item_bytes, exchange, method, &
      possible_sources, name, status)
    type(sterna_context), intent(in) :: context
    integer, intent(in) :: item_bytes
    type(sterna_sparse_exchange), intent(inout) :: exchange
    character(*), intent(in), optional :: method
    integer, intent(in), optional :: possible_sources(:)
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    integer(c_int) :: count
    integer(c_int), allocatable :: sources(:)
    count = -1
    allocate (sources(0))
    if (present(possible_sources)) then
      count = int(size(possible_sources), c_int)
      sources = int(possible_sources, c_int)
    end if
    call conclude(c_sparse_exchange_create(context, int(item_bytes, c_size_t), &
        c_text(method, "auto"), count, sources, c_text(name, "sparse exchange"), exchange), status)
  end subroutine

  subroutine sterna_sparse_exchange_destroy(exchange, status)
    type(sterna_sparse_exchange), intent(inout) :: exchange
    integer, intent(out), optional :: status
    call conclude(c_sparse_exchange_destroy(exchange), status)
  end subroutine

  !> Sends the first counts(1) items to rank destinations(1), the next counts(2) to destinations(2),
  !> and so on.
  subroutine sterna_sparse_exchange_run(exchange, destinations, counts, items, status)
    type(sterna_sparse_exchange), intent(in) :: exchange
    integer, intent(in) :: destinations(:)
    integer(c_int64_t), intent(in) :: counts(size(destinations))
    type(*), dimension(..), intent(in) :: items
    integer, intent(out), optional :: status
    integer(c_size_t) :: offsets(size(destinations) + 1)
    integer :: i
    offsets(1) = 0
    do i = 1, size(destinations)
      offsets(i + 1) = offsets(i) + counts(i)
    end do
    call conclude(c_sparse_exchange_run(exchange, int(size(destinations), c_int), &
        int(destinations, c_int), offsets, items), status)
  end subroutine

  !> Gives the items that arrived: counts(i) items from rank sources(i), ascending, one row after
  !> the other at `items`, which is valid until the next run.
  subroutine sterna_sparse_exchange_result(exchange, sources, counts, items, status)
    type(sterna_sparse_exchange), intent(in) :: exchange
    integer, allocatable, intent(out) :: sources(:)
    integer(c_int64_t), allocatable, intent(out) :: counts(:)
    type(c_ptr), intent(inout) :: items
    integer, intent(out), optional :: status
    integer(c_int) :: count
    type(c_ptr) :: source_pointer, offset_pointer
    integer(c_int), pointer :: ranks(:)
    integer(c_size_t), pointer :: offsets(:)
    count = 0
    call conclude(c_sparse_exchange_result(exchange, count, source_pointer, offset_pointer, &
        items), status)
    allocate (sources(count), counts(count))
    if (count == 0) return
    call c_f_pointer(source_pointer, ranks, [count])
    call c_f_pointer(offset_pointer, offsets, [count + 1])
    sources = ranks
    counts = offsets(2:) - offsets(:count)
  end subroutine

  function sterna_sparse_exchange_method(exchange, status) result(method)
    type(sterna_sparse_exchange), intent(in) :: exchange
    integer, intent(out), optional :: status
    character(:), allocatable :: method
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call conclude(c_sparse_exchange_method(exchange, pointer), status)
    method = text(pointer)
  end function

  ! ---- messages --------------------------------------------------------------------------------

  !> Makes a messenger. Collective, as is destroy.
  subroutine sterna_messenger_create(context, messenger, name, status)
    type(sterna_context), intent(in) :: context
    type(sterna_messenger), intent(inout) :: messenger
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: status
    call conclude(c_messenger_create(context, c_text(name, "messages"), messenger), status)
  end subroutine

  subroutine sterna_messenger_destroy(messenger, status)
    type(sterna_messenger), intent(inout) :: messenger
    integer, intent(out), optional :: status
    call conclude(c_messenger_destroy(messenger), status)
  end subroutine

  !> Sends an array, which must stay as it is until the request has ended.
  subroutine sterna_send(messenger, rank, tag, data, request, status)
    type(sterna_messenger), intent(in) :: messenger
    integer, intent(in) :: rank, tag
    type(*), dimension(..), intent(in), asynchronous :: data
    type(sterna_request), intent(inout) :: request
    integer, intent(out), optional :: status
    call conclude(c_send(messenger, int(rank, c_int), int(tag, c_int64_t), data, request), status)
  end subroutine

  !> Receives into an array that is large enough, before or after the message arrives.
  subroutine sterna_receive(messenger, rank, tag, buffer, request, status)
    type(sterna_messenger), intent(in) :: messenger
    integer, intent(in) :: rank, tag
    type(*), dimension(..), intent(inout), asynchronous :: buffer
    type(sterna_request), intent(inout) :: request
    integer, intent(out), optional :: status
    call conclude(c_receive(messenger, int(rank, c_int), int(tag, c_int64_t), buffer, request), &
        status)
  end subroutine

  !> Waits for the end of a request. `bytes` is the length of the message.
  subroutine sterna_request_wait(request, bytes, status)
    type(sterna_request), intent(inout) :: request
    integer(c_int64_t), intent(out), optional :: bytes
    integer, intent(out), optional :: status
    integer(c_size_t) :: count
    count = 0
    call conclude(c_request_wait(request, count), status)
    if (present(bytes)) bytes = count
  end subroutine

  !> Returns true if the request has ended. Does not wait.
  logical function sterna_request_test(request, bytes, status) result(ended)
    type(sterna_request), intent(inout) :: request
    integer(c_int64_t), intent(out), optional :: bytes
    integer, intent(out), optional :: status
    integer(c_int) :: done
    integer(c_size_t) :: count
    done = 0
    count = 0
    call conclude(c_request_test(request, done, count), status)
    ended = done /= 0
    if (present(bytes)) bytes = count
  end function

end module
