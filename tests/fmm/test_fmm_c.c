/* The multipole method from C: results that are known, and what wrong calls give. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sterna/fmm.h"

static int rank, size, failures;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("rank %d of %d, line %d: %s (last message: %s)\n", rank, size, line, what,
         sterna_error_message());
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define SUCCEEDS(call) CHECK((call) == STERNA_SUCCESS)
#define FAILS(status, words, call) \
  CHECK((call) == (status) && strstr(sterna_error_message(), (words)) != NULL)

/* Rock salt of 512 ions at the distance 1: each rank has every size-th of them. */
static size_t ions(double positions[], double charges[]) {
  size_t count = 0;
  for (int i = rank; i < 512; i += size) {
    const int x = i % 8, y = i / 8 % 8, z = i / 64;
    positions[3 * count] = x + 0.25;
    positions[3 * count + 1] = y + 0.25;
    positions[3 * count + 2] = z + 0.25;
    charges[count++] = (x + y + z) % 2 == 0 ? 1.0 : -1.0;
  }
  return count;
}

static void test_crystal(sterna_context world) {
  static double positions[3 * 512], charges[512], potentials[512], fields[3 * 512];
  const double edges[9] = {8, 0, 0, 0, 8, 0, 0, 0, 8}, wider[9] = {16, 0, 0, 0, 16, 0, 0, 0, 16};
  const double madelung = 1.7475645946332;
  const sterna_fmm_options options = {1e-8, STERNA_FMM_POTENTIAL, STERNA_FMM_CONDUCTOR, 0};
  sterna_fmm_errors errors = {0};
  sterna_fmm_solver solver = {0};
  const char* words = NULL;
  double energy = 0.0, virial[9];
  const size_t count = ions(positions, charges);
  SUCCEEDS(sterna_fmm_create(world, edges, &options, &solver));
  SUCCEEDS(sterna_fmm_tune(solver, count, positions, charges));
  SUCCEEDS(
      sterna_fmm_compute(solver, count, positions, charges, potentials, fields, &energy, virial));
  CHECK(fabs(energy / 256.0 + madelung) < 1e-7);
  CHECK(fabs(virial[0] + virial[4] + virial[8] - energy) < 1e-9 * fabs(energy));
  CHECK(fabs(virial[0] - energy / 3.0) < 1e-6 * fabs(energy) && fabs(virial[1]) < 1e-5);
  for (size_t i = 0; i < count; ++i) {
    CHECK(fabs(potentials[i] + charges[i] * madelung) < 1e-6);
    for (int k = 0; k < 3; ++k) CHECK(fabs(fields[3 * i + (size_t)k]) < 1e-5);
  }
  SUCCEEDS(sterna_fmm_get_errors(solver, &errors));
  CHECK(errors.potential <= 1e-8 && errors.absolute_energy >= 0.0);
  SUCCEEDS(sterna_fmm_description(solver, &words));
  CHECK(strstr(words, "order") != NULL);
  for (size_t i = 0; i < 3 * count; ++i) positions[i] *= 2.0;
  SUCCEEDS(sterna_fmm_set_box(solver, wider));
  SUCCEEDS(sterna_fmm_compute(solver, count, positions, charges, potentials, NULL, &energy, NULL));
  CHECK(fabs(energy / 128.0 + madelung) < 1e-7);

  const sterna_fmm_solver copy = solver;
  FAILS(STERNA_ERROR_ARGUMENT, "0 coordinates",
        sterna_fmm_compute(solver, 1, NULL, charges, potentials, NULL, NULL, NULL));
  FAILS(STERNA_ERROR_ARGUMENT, "0 coordinates", sterna_fmm_tune(solver, 1, NULL, NULL));
  FAILS(STERNA_ERROR_ARGUMENT, "0 potentials",
        sterna_fmm_compute(solver, 1, positions, charges, NULL, NULL, NULL, NULL));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer", sterna_fmm_set_box(solver, NULL));
  SUCCEEDS(sterna_fmm_destroy(&solver));
  CHECK(solver.id == 0);
  FAILS(STERNA_ERROR_HANDLE, "names no solver", sterna_fmm_get_errors(copy, &errors));
}

static void test_open(sterna_context world) {
  /* Two charges, both on the last rank. */
  const double positions[6] = {-1, 0, 0, 1, 0, 0}, charges[2] = {3.0, -1.0};
  double potentials[2] = {0}, fields[6] = {0}, energy = 0.0;
  const size_t count = rank == size - 1 ? 2 : 0;
  sterna_fmm_solver solver = {0};
  SUCCEEDS(sterna_fmm_create(world, NULL, NULL, &solver));
  SUCCEEDS(
      sterna_fmm_compute(solver, count, positions, charges, potentials, fields, &energy, NULL));
  CHECK(fabs(energy + 1.5) < 1e-4);
  if (count > 0) CHECK(fabs(potentials[1] - 1.5) < 1e-4 && fabs(fields[3] - 0.75) < 1e-4);
  FAILS(STERNA_ERROR_ARGUMENT, "no box", sterna_fmm_set_box(solver, positions));
  SUCCEEDS(sterna_fmm_destroy(&solver));

  const sterna_fmm_options unknown = {0.0, 9, 0, 0}, around = {0.0, 0, 5, 0},
                           order = {0.0, 0, 0, 1};
  FAILS(STERNA_ERROR_ARGUMENT, "the tolerance is 9",
        sterna_fmm_create(world, NULL, &unknown, &solver));
  FAILS(STERNA_ERROR_ARGUMENT, "surroundings are 5",
        sterna_fmm_create(world, NULL, &around, &solver));
  FAILS(STERNA_ERROR_ARGUMENT, "an order of 1", sterna_fmm_create(world, NULL, &order, &solver));
  FAILS(STERNA_ERROR_ARGUMENT, "null pointer", sterna_fmm_create(world, NULL, NULL, NULL));
  const sterna_context none = {0};
  FAILS(STERNA_ERROR_HANDLE, "null handle", sterna_fmm_create(none, NULL, NULL, &solver));
}

int main(void) {
  sterna_context world;
  if (sterna_initialize() != STERNA_SUCCESS || sterna_context_create(NULL, &world)) return 1;
  sterna_context_rank(world, &rank);
  sterna_context_size(world, &size);
  test_crystal(world);
  test_open(world);
  sterna_context_destroy(&world);
  sterna_finalize();
  return failures > 0;
}
