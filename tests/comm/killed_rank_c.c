/* As killed_rank.cpp, in C: puts with notices until one rank kills itself; the others must end with
 * a message. Arguments: transport. Run by test_killed_rank. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sterna/comm/sterna_comm.h"

static void need(int status) {
  if (status == STERNA_SUCCESS) return;
  /* The survivors that wait must see an error of this kind. */
  sterna_abort(sterna_error_message(), status == STERNA_ERROR_COMMUNICATION ? 3 : 4);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sterna_context world = {0};
  sterna_region region = {0};
  int rank = 0, size = 0;
  need(sterna_initialize());
  need(sterna_context_create(NULL, &world));
  need(sterna_context_set_timeout(world, 60.0));
  need(sterna_context_rank(world, &rank));
  need(sterna_context_size(world, &size));
  int* const peers = malloc((size_t)size * sizeof *peers);
  for (int peer = 0; peer < size; ++peer) peers[peer] = peer;
  need(sterna_region_create(world, (size_t)size * sizeof(int64_t), size, peers, argv[1],
                            "halo positions", &region));
  for (int64_t round = 1;; ++round) {
    if (round == 50) {
      need(sterna_barrier(world)); /* nobody is in round 49 any more */
      if (rank == 1) raise(SIGKILL);
    }
    for (int peer = 0; peer < size; ++peer) {
      sterna_remote place;
      need(sterna_remote_part(region, peer, &place));
      need(sterna_put_notify(&place, (size_t)rank * sizeof round, &round, sizeof round));
    }
    for (int peer = 0; peer < size; ++peer) need(sterna_wait(region, peer));
    need(sterna_flush(region));
  }
}
