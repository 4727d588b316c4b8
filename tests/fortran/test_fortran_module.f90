! The Fortran module: results for arrays of several types and ranks, and what wrong calls give.
program test_fortran_module
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use sterna_comm
  implicit none
  type(sterna_context) :: world
  integer :: rank, ranks, failures

  failures = 0
  call sterna_initialize()
  call sterna_context_create(world)
  call sterna_context_set_timeout(world, 100.0d0)
  rank = sterna_context_rank(world)
  ranks = sterna_context_size(world)
  call test_handles()
  call test_region("shm")
  call test_region("rdma")
  call test_own_memory()
  call test_neighbor_exchange()
  call test_sparse_exchange()
  call test_messages()
  call sum_failures()
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

  !> A call has given `status`: it must be `wanted`, and the message must hold `words`.
  subroutine check_error(status, wanted, words)
    integer, intent(in) :: status, wanted
    character(*), intent(in) :: words
    call check(status == wanted .and. index(sterna_error_message(), words) > 0, "error "//words)
  end subroutine

  function everybody() result(peers)
    integer :: peers(ranks)
    integer :: i
    peers = [(i, i=0, ranks - 1)]
  end function

  subroutine test_handles()
    type(sterna_context) :: none
    type(sterna_region) :: region
    integer :: status
    call check_error(0, 0, "")
    status = -1
    call sterna_barrier(none, status)
    call check_error(status, sterna_error_handle, "null handle")
    region%id = world%id
    call sterna_flush(region, status)
    call check_error(status, sterna_error_handle, "names no region")
    call sterna_context_create(none, communicator=-1, status=status)
    call check_error(status, sterna_error_argument, "communicator")
    call sterna_region_create(world, 8_int64, [ranks], region, status=status)
    call check_error(status, sterna_error_argument, "is no rank")
  end subroutine

  subroutine test_region(transport)
    character(*), intent(in) :: transport
    type(sterna_region) :: region
    type(sterna_remote) :: part, word
    real(real64), pointer :: grid(:, :, :)
    integer(int64), pointer :: words(:)
    real(real64), allocatable, asynchronous :: slab(:, :), back(:, :)
    real(real32) :: lone
    integer(int64) :: before, bytes
    integer :: peer, round, status
    character(:), allocatable :: used
    ! A slab of 2 x 3 numbers for each rank, then a word that all add to.
    bytes = 8_int64 * (6 * ranks + 1)
    call sterna_region_create(world, bytes, everybody(), region, transport=transport, &
        name="grid", status=status)
    if (status /= 0 .and. index(sterna_error_message(), "no transport") > 0) then
      if (rank == 0) print "(2a)", "skipped: ", sterna_error_message()
      return
    end if
    call check(status == 0, "create")
    call check(sterna_region_bytes(region) == bytes, "bytes")
    used = sterna_region_transport(region)
    call check(used == transport, "transport "//used)
    call c_f_pointer(sterna_region_data(region), grid, [2, 3, ranks])
    call c_f_pointer(sterna_region_data(region), words, [6 * ranks + 1])
    call check(all(grid == 0.0d0), "zeros")
    call sterna_barrier(world)
    allocate (slab(2, 3), back(2, 3))
    do round = 1, 20
      slab = reshape([1, 2, 3, 4, 5, 6], [2, 3]) + 100.0d0 * round + 10000.0d0 * rank
      do peer = 0, ranks - 1
        part = sterna_remote_part(region, peer)
        call sterna_put_notify(part, slab, first=6_int64 * rank + 1)
      end do
      do peer = 0, ranks - 1
        if (mod(round, 2) == 0) then
          call sterna_wait(region, peer, int(round, int64))
        end if
        call sterna_wait(region, peer)
        call check(all(grid(:, :, peer + 1) == &
            reshape([1, 2, 3, 4, 5, 6], [2, 3]) + 100.0d0 * round + 10000.0d0 * peer), "slab")
      end do
      call sterna_flush(region)
      back = -1.0d0
      part = sterna_remote_handle(region, mod(rank + 1, ranks), 48_int64 * rank, 48_int64)
      call sterna_get(part, back)
      call sterna_flush(region)
      call check(all(back == slab), "read back")
      call sterna_barrier(world)
    end do
    call check(sterna_notices(region, rank) == 20, "notices")
    ! Parts of an array that are contiguous, and a scalar of 4 bytes.
    slab(:, 2) = [7.0d0, 8.0d0]
    part = sterna_remote_part(region, mod(rank + 1, ranks))
    call sterna_put(part, slab(:, 2), first=6_int64 * rank + 3)
    lone = 3.5
    call sterna_put(part, lone, first=2 * (6_int64 * rank + 5) - 1)
    call sterna_flush(region)
    call sterna_notify(region, mod(rank + 1, ranks))
    call sterna_wait(region, mod(rank + ranks - 1, ranks))
    peer = mod(rank + ranks - 1, ranks)
    call check(all(grid(:, 2, peer + 1) == [7.0d0, 8.0d0]), "a column")
    call check(transfer(grid(1, 3, peer + 1), lone) == 3.5, "a scalar")
    ! One that is not.
    call sterna_put(part, slab(1, :), status=status)
    call check_error(status, sterna_error_section, "not contiguous")
    call sterna_put(part, slab, first=6_int64 * ranks - 3, status=status)
    call check_error(status, sterna_error_range, "outside")
    call sterna_put(part, slab, first=0_int64, status=status)
    call check_error(status, sterna_error_range, "outside")
    ! A place whose offset in bytes overflows to one inside.
    call sterna_put(part, slab(:, 1), first=2_int64**61 + 1, status=status)
    call check_error(status, sterna_error_range, "outside")
    before = sterna_fetch_add(part, 0_int64, first=2_int64**61 + 1, status=status)
    call check_error(status, sterna_error_range, "outside")
    word = sterna_remote_handle(region, 0, 48_int64 * ranks, 8_int64)
    do round = 1, 30
      before = sterna_fetch_add(word, 5_int64)
      call check(mod(before, 5_int64) == 0, "fetch_add")
    end do
    call sterna_barrier(world)
    if (rank == 0) call check(words(6 * ranks + 1) == 150 * ranks, "sum of additions")
    call sterna_barrier(world)
    call sterna_region_destroy(region)
    call sterna_put(part, slab, status=status)
    call check_error(status, sterna_error_handle, "no region")
  end subroutine

  subroutine test_own_memory()
    type(sterna_region) :: region
    integer(int64), allocatable, asynchronous, target :: memory(:, :)
    integer(int64), asynchronous :: mine(3)
    integer :: peer, status
    allocate (memory(3, ranks))
    memory = -1
    call sterna_region_register(world, memory, everybody(), region, name="own", status=status)
    if (status /= 0 .and. index(sterna_error_message(), "no transport") > 0) then
      if (rank == 0) print "(2a)", "skipped: ", sterna_error_message()
      return
    end if
    call check(status == 0, "register")
    mine = rank
    do peer = 0, ranks - 1
      call sterna_put_notify(sterna_remote_part(region, peer), mine, first=3_int64 * rank + 1)
    end do
    do peer = 0, ranks - 1
      call sterna_wait(region, peer)
      call check(all(memory(:, peer + 1) == peer), "own memory")
    end do
    call sterna_flush(region)
    call sterna_region_destroy(region)
    call sterna_region_register(world, memory(1, :), everybody(), region, status=status)
    if (ranks > 1) call check(status /= sterna_success, "a section cannot be registered")
  end subroutine

  subroutine test_neighbor_exchange()
    type(sterna_neighbor_exchange) :: exchange
    integer, allocatable :: neighbors(:)
    real(real64), pointer :: box(:, :)
    type(c_ptr) :: data
    integer(int64) :: count
    integer :: i, round, arrived, status
    character(:), allocatable :: method
    ! All with all; items are points of 3 numbers.
    call sterna_neighbor_exchange_create(world, everybody(), [(4_int64, i=1, ranks)], &
        [(4_int64, i=1, ranks)], 24, exchange, method="p3p", status=status)
    call check_error(status, sterna_error_argument, "did you mean ""p2p""")
    call sterna_neighbor_exchange_create(world, everybody(), [(4_int64, i=1, ranks)], &
        [(4_int64, i=1, ranks)], 24, exchange, name="points")
    neighbors = sterna_neighbor_exchange_ranks(exchange)
    call check(all(neighbors == everybody()), "ranks")
    method = sterna_neighbor_exchange_method(exchange)
    call check(len(method) > 0, "method")
    call sterna_neighbor_reserve(exchange, [(10_int64, i=1, ranks)])
    do round = 1, 20
      do i = 1, ranks
        call c_f_pointer(sterna_neighbor_outbox(exchange, i), box, [3, 10])
        box = 100.0d0 * rank + round
        call sterna_neighbor_commit(exchange, i, int(mod(round, 11), int64))
      end do
      call sterna_neighbor_start(exchange)
      arrived = 0
      do
        i = sterna_neighbor_next(exchange)
        if (i == 0) exit
        arrived = arrived + 1
        call sterna_neighbor_inbox(exchange, i, data, count)
        call check(count == mod(round, 11), "count")
        if (count == 0) cycle
        call c_f_pointer(data, box, [3_int64, count])
        call check(all(box == 100.0d0 * neighbors(i) + round), "points")
      end do
      call check(arrived == ranks, "arrived")
      call sterna_neighbor_finish(exchange)
    end do
    call sterna_neighbor_commit(exchange, ranks + 1, 1_int64, status)
    call check_error(status, sterna_error_argument, "no peer")
    call sterna_neighbor_exchange_destroy(exchange)
  end subroutine

  subroutine test_sparse_exchange()
    type(sterna_sparse_exchange) :: exchange
    integer, allocatable :: sources(:)
    integer(int64), allocatable :: counts(:)
    integer(int64), pointer :: got(:)
    integer(int64) :: items(2, 3)
    type(c_ptr) :: data
    integer :: round, after, before
    character(:), allocatable :: method
    call sterna_sparse_exchange_create(world, 16, exchange, name="migration")
    method = sterna_sparse_exchange_method(exchange)
    do round = 1, 10
      ! Three items of two numbers to the rank `round` after this one.
      after = mod(rank + round, ranks)
      before = modulo(rank - round, ranks)
      items = 1000 * rank + round
      call sterna_sparse_exchange_run(exchange, [after], [3_int64], items)
      call sterna_sparse_exchange_result(exchange, sources, counts, data)
      call check(size(sources) == 1, "one source")
      call check(sources(1) == before .and. counts(1) == 3, "the source")
      call c_f_pointer(data, got, [6])
      call check(all(got == 1000 * before + round), "items")
      call sterna_sparse_exchange_run(exchange, [integer ::], [integer(int64) ::], items)
      call sterna_sparse_exchange_result(exchange, sources, counts, data)
      call check(size(sources) == 0, "nobody")
    end do
    call sterna_sparse_exchange_destroy(exchange)
  end subroutine

  subroutine test_messages()
    type(sterna_messenger) :: messenger
    type(sterna_request) :: send, receive
    real(real64), asynchronous :: out(20, 30), in(20, 30)
    integer(int64) :: bytes
    integer :: round, status
    call sterna_messenger_create(world, messenger)
    do round = 1, 10
      out = 100.0d0 * rank + round
      call sterna_send(messenger, mod(rank + 1, ranks), 5, out, send)
      call sterna_receive(messenger, modulo(rank - 1, ranks), 5, in, receive)
      if (mod(round, 2) == 0) then
        call sterna_request_wait(receive, bytes)
      else
        do while (.not. sterna_request_test(receive, bytes))
        end do
      end if
      call check(bytes == 8 * size(in), "bytes of a message")
      call check(all(in == 100.0d0 * modulo(rank - 1, ranks) + round), "a message")
      call sterna_request_wait(send)
    end do
    call sterna_send(messenger, ranks, 5, out, send, status)
    call check_error(status, sterna_error_argument, "is no rank")
    call sterna_send(messenger, 0, 5, out(1, :), send, status)
    call check_error(status, sterna_error_section, "not contiguous")
    call sterna_messenger_destroy(messenger)
  end subroutine

  !> `failures` of all ranks together, by the library's own means.
  subroutine sum_failures()
    type(sterna_region) :: region
    type(sterna_remote) :: sum
    integer(int64), pointer :: word
    integer(int64) :: before
    call sterna_region_create(world, 8_int64, everybody(), region)
    sum = sterna_remote_part(region, 0)
    before = sterna_fetch_add(sum, int(failures, int64))
    call sterna_barrier(world)
    call c_f_pointer(sterna_region_data(region), word)
    if (rank == 0) failures = int(word)
    if (rank == 0 .and. word == 0 .and. before >= 0) print "(a)", "all checks passed"
    call sterna_barrier(world)
    call sterna_region_destroy(region)
  end subroutine

end program
