/* ScaFaCoS's calls in the order in which LAMMPS makes them: results that are known, and what wrong calls
 * give. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "sterna/scafacos/fcs.h"

static int rank, size, failures;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("rank %d of %d, line %d: %s\n", rank, size, line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

static void succeeds(FCSResult result, int line) {
  if (result == FCS_RESULT_SUCCESS) return;
  check(0, fcs_result_get_message(result), line);
  fcs_result_destroy(result);
}
#define SUCCEEDS(call) succeeds(call, __LINE__)

static void fails(FCSResult result, int code, const char* function, const char* words, int line) {
  check(fcs_result_get_return_code(result) == code, fcs_result_get_message(result), line);
  check(strcmp(fcs_result_get_function(result), function) == 0, fcs_result_get_function(result),
        line);
  check(strstr(fcs_result_get_message(result), words) != NULL, fcs_result_get_message(result),
        line);
  fcs_result_destroy(result);
}
#define FAILS(code, function, words, call) fails(call, code, function, words, __LINE__)

static double positions[3 * 512], charges[512], potentials[512], field[3 * 512];

/* Rock salt of 512 ions at the distance `apart`, from `corner` on; the last rank has none where there
 * are several. */
static int ions(double apart, double corner) {
  const int holders = size > 1 ? size - 1 : 1;
  int count = 0;
  for (int i = rank; i < 512 && rank < holders; i += holders) {
    const int place[3] = {i % 8, i / 8 % 8, i / 64};
    for (int k = 0; k < 3; ++k) positions[3 * count + k] = corner + apart * (place[k] + 0.25);
    charges[count++] = (place[0] + place[1] + place[2]) % 2 == 0 ? 1.0 : -1.0;
  }
  return count;
}

static double energy(int count) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += 0.5 * charges[i] * potentials[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void set_box(FCS fcs, double edge, double corner, int periodic) {
  const double a[3] = {edge, 0, 0}, b[3] = {0, edge, 0}, c[3] = {0, 0, edge};
  const double origin[3] = {corner, corner, corner};
  const int periodicity[3] = {periodic, periodic, periodic};
  SUCCEEDS(fcs_set_box_a(fcs, a));
  SUCCEEDS(fcs_set_box_b(fcs, b));
  SUCCEEDS(fcs_set_box_c(fcs, c));
  SUCCEEDS(fcs_set_box_origin(fcs, origin));
  SUCCEEDS(fcs_set_periodicity(fcs, periodicity));
  SUCCEEDS(fcs_set_total_particles(fcs, 512));
  SUCCEEDS(fcs_set_near_field_flag(fcs, 1));
}

static void test_steps(void) {
  const double madelung = 1.7475645946332;
  double virial[9];
  FCS fcs = FCS_NULL;
  SUCCEEDS(fcs_init(&fcs, "fmm", MPI_COMM_WORLD));
  set_box(fcs, 8.0, -4.0, 1);
  SUCCEEDS(fcs_set_tolerance(fcs, FCS_TOLERANCE_TYPE_ENERGY, 1e-4));
  SUCCEEDS(fcs_fmm_set_internal_tuning(fcs, FCS_FMM_HOMOGENOUS_SYSTEM));
  SUCCEEDS(fcs_set_redistribute(fcs, 1));
  int count = ions(1.0, -4.0);
  SUCCEEDS(fcs_tune(fcs, count, positions, charges));
  if (rank == 0) SUCCEEDS(fcs_print_parameters(fcs));
  for (int step = 0; step < 3; ++step) {
    SUCCEEDS(fcs_set_compute_virial(fcs, 1));
    /* LAMMPS takes the box for changed in each step if its corner is not at the origin. */
    set_box(fcs, 8.0, -4.0, 1);
    SUCCEEDS(fcs_tune(fcs, count, positions, charges));
    SUCCEEDS(fcs_run(fcs, count, positions, charges, field, potentials));
    CHECK(fabs(energy(count) + 256 * madelung) < 1e-4);
    for (int i = 0; i < count; ++i) {
      CHECK(fabs(potentials[i] + charges[i] * madelung) < 1e-5);
      for (int k = 0; k < 3; ++k) CHECK(fabs(field[3 * i + k]) < 1e-4);
    }
    SUCCEEDS(fcs_get_virial(fcs, virial));
    CHECK(fabs(virial[0] + virial[4] + virial[8] + 256 * madelung) < 1e-4);
    CHECK(fabs(virial[0] - virial[8]) < 1e-2 && fabs(virial[1]) < 1e-2);
  }
  /* A wider box. */
  count = ions(2.0, 1.0);
  set_box(fcs, 16.0, 1.0, 1);
  SUCCEEDS(fcs_tune(fcs, count, positions, charges));
  SUCCEEDS(fcs_run(fcs, count, positions, charges, field, potentials));
  CHECK(fabs(energy(count) + 128 * madelung) < 1e-3);
  /* The same crystal alone in space. */
  set_box(fcs, 16.0, 1.0, 0);
  SUCCEEDS(fcs_run(fcs, count, positions, charges, field, potentials));
  const double alone = energy(count);
  CHECK(alone > -128 * madelung && alone < -128 * 1.5);
  SUCCEEDS(fcs_run(fcs, count, positions, charges, NULL, potentials));
  CHECK(fabs(energy(count) - alone) < 1e-4);
  SUCCEEDS(fcs_destroy(fcs));
}

static void test_parameters(void) {
  FCS fcs = FCS_NULL;
  int type = 0, value = -1;
  double tolerance = 0.0, correction[3], added = 0.0;
  SUCCEEDS(fcs_init(&fcs, "fmm", MPI_COMM_WORLD));
  SUCCEEDS(fcs_set_parameters(fcs,
                              "box_a,2.0,0.0,0.0,box_b,0.0,3.0,0.0,box_c,0.0,0.0,4.0,offset,1,2,3,"
                              "periodicity,1,1,1,total_particles,2,tolerance_field_rel,1e-6",
                              0));
  CHECK(fcs_get_box_b(fcs)[1] == 3.0 && fcs_get_box_origin(fcs)[2] == 3.0);
  CHECK(fcs_get_periodicity(fcs)[2] == 1 && fcs_get_total_particles(fcs) == 2);
  SUCCEEDS(fcs_get_tolerance(fcs, &type, &tolerance));
  CHECK(type == FCS_TOLERANCE_TYPE_FIELD_REL && tolerance == 1e-6);
  SUCCEEDS(fcs_get_resort_availability(fcs, &value));
  CHECK(value == 0);
  /* A dipole of 1 along z, in vacuum: 2 pi / (3 V). */
  const int count = rank == 0 ? 2 : 0;
  double places[6] = {0, 0, 0, 0, 0, 1}, both[2] = {-1, 1};
  SUCCEEDS(fcs_compute_dipole_correction(fcs, count, places, both, 1.0, correction, &added));
  CHECK(fabs(added - 2.0 * 3.14159265358979 / (3.0 * 24.0)) < 1e-12);
  CHECK(fabs(correction[2] + 2.0 * added) < 1e-12 && correction[0] == 0.0);

  FAILS(FCS_ERROR_WRONG_ARGUMENT, "fcs_set_parameters", "box_a",
        fcs_set_parameters(fcs, "boxa,1,0,0", 0));
  FAILS(FCS_ERROR_WRONG_ARGUMENT, "fcs_set_parameters", "expected a number, not \"x\"",
        fcs_set_parameters(fcs, "total_particles,x,redistribute,1", 1));
  CHECK(fcs_get_redistribute(fcs) == 1);
  const int slab[3] = {1, 1, 0};
  FAILS(FCS_ERROR_INCOMPATIBLE_METHOD, "fcs_set_periodicity", "in all directions, or in none",
        fcs_set_periodicity(fcs, slab));
  FAILS(FCS_ERROR_NOT_IMPLEMENTED, "fcs_set_near_field_flag", "near field",
        fcs_set_near_field_flag(fcs, 0));
  FAILS(FCS_ERROR_WRONG_ARGUMENT, "fcs_set_tolerance", "above 0",
        fcs_set_tolerance(fcs, FCS_TOLERANCE_TYPE_FIELD, 0.0));
  FAILS(FCS_ERROR_WRONG_ARGUMENT, "fcs_set_tolerance", "type is 7", fcs_set_tolerance(fcs, 7, 1.0));
  FAILS(FCS_ERROR_NULL_ARGUMENT, "fcs_set_box_a", "box_a is a null", fcs_set_box_a(fcs, NULL));
  FAILS(FCS_ERROR_LOGICAL_ERROR, "fcs_get_virial", "no virial", fcs_get_virial(fcs, correction));
  FAILS(FCS_ERROR_LOGICAL_ERROR, "fcs_run", "coordinates",
        fcs_run(fcs, 2, NULL, both, NULL, correction));
  FAILS(FCS_ERROR_LOGICAL_ERROR, "fcs_tune", "coordinates", fcs_tune(fcs, 2, NULL, NULL));
  FAILS(FCS_ERROR_WRONG_ARGUMENT, "fcs_compute_dipole_correction", "no positions",
        fcs_compute_dipole_correction(fcs, rank == 0 ? -1 : 0, NULL, NULL, 1.0, NULL, &added));
  SUCCEEDS(fcs_destroy(fcs));
  FAILS(FCS_ERROR_WRONG_ARGUMENT, "fcs_init", "expected \"fmm\"",
        fcs_init(&fcs, "p3m", MPI_COMM_WORLD));
  FAILS(FCS_ERROR_NULL_ARGUMENT, "fcs_tune", "handle", fcs_tune(FCS_NULL, 0, NULL, NULL));
  SUCCEEDS(fcs_init(&fcs, "fmm", MPI_COMM_WORLD));
  FAILS(FCS_ERROR_MISSING_ELEMENT, "fcs_run", "periodicity",
        fcs_run(fcs, 0, NULL, NULL, NULL, NULL));
  SUCCEEDS(fcs_destroy(fcs));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test_steps();
  test_parameters();
  MPI_Finalize();
  return failures > 0;
}
