/* The multipole method for C (C99), on which the Fortran module is based: potentials and fields of the
 * charges of a distributed program, which may be on any rank.
 *
 * Statuses, messages and contexts are those of sterna/comm/sterna_comm.h. All calls are collective over
 * the ranks of the context, but for those that say otherwise; arguments other than particles and results
 * are equal on all ranks. What is wrong on one rank is an error on all.
 */
#ifndef STERNA_FMM_H
#define STERNA_FMM_H

#include <stddef.h>
#include <stdint.h>

#include "sterna/comm/sterna_comm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sterna_fmm_solver {
  uint64_t id;
} sterna_fmm_solver;

/* The errors that the accuracy may bound: root mean squares over all charges. */
enum {
  STERNA_FMM_FIELD = 0, /* relative to the fields, as are the next two to theirs */
  STERNA_FMM_POTENTIAL = 1,
  STERNA_FMM_ENERGY = 2,
  STERNA_FMM_ABSOLUTE_FIELD = 3, /* charge / length^2 */
  STERNA_FMM_ABSOLUTE_POTENTIAL = 4,
  STERNA_FMM_ABSOLUTE_ENERGY = 5
};
/* What is beyond the images of a periodic box at infinity. */
enum { STERNA_FMM_CONDUCTOR = 0, STERNA_FMM_VACUUM = 1 };

/* Zeros are the defaults. */
typedef struct sterna_fmm_options {
  double accuracy;  /* 0: 1e-5 */
  int tolerance;    /* the error that the accuracy bounds */
  int surroundings; /* in vacuum positions must not be wrapped into the box */
  int order;        /* of the expansions, 2 to 32; 0: as the accuracy wants it */
} sterna_fmm_options;

/* The errors that the last tuning has measured. */
typedef struct sterna_fmm_errors {
  double field, potential, energy; /* relative */
  double absolute_field, absolute_potential, absolute_energy;
} sterna_fmm_errors;

/* Makes a solver. `edges`: the three edges of a box that is repeated in all directions, nine numbers, in
 * any directions; NULL: there are no images, and no box. `options`: NULL for the defaults. */
int sterna_fmm_create(sterna_context context, const double* edges,
                      const sterna_fmm_options* options, sterna_fmm_solver* solver);
int sterna_fmm_destroy(sterna_fmm_solver* solver);
/* Changes the periodic box. */
int sterna_fmm_set_box(sterna_fmm_solver solver, const double* edges);

/* Chooses the parameters with which these charges have the accuracy, and measures their errors. The first
 * sterna_fmm_compute calls it, and so does a later one if the number of charges has doubled or halved. */
int sterna_fmm_tune(sterna_fmm_solver solver, size_t count, const double* positions,
                    const double* charges);
/* Computes the potentials, sums of q / r, and the fields, sums of q r / r^3, at `count` charges of this
 * rank, which may be none, of all other charges and all images. `positions`: x, y, z of each charge.
 * `fields`: likewise, or NULL. `energy`: the sum over all ranks, each pair once; may be NULL. `virial`:
 * nine numbers, the sum over pairs of connection times force; may be NULL on all ranks, which is faster.
 */
int sterna_fmm_compute(sterna_fmm_solver solver, size_t count, const double* positions,
                       const double* charges, double* potentials, double* fields, double* energy,
                       double* virial);

/* Not collective. */
int sterna_fmm_get_errors(sterna_fmm_solver solver, sterna_fmm_errors* errors);
/* Gives the parameters in words; valid until the next call of this function for the solver. */
int sterna_fmm_description(sterna_fmm_solver solver, const char** description);

#ifdef __cplusplus
}
#endif

#endif
