/* The calls of ScaFaCoS's public interface, for programs that know no other, over Sterna's multipole
 * method (sterna/fmm.h). The method is "fmm". Names, types and constants are those that ScaFaCoS's
 * documentation gives; what is not possible is an error that says so.
 *
 * Calls return NULL, or an error that fcs_result_destroy frees. fcs_tune, fcs_run and
 * fcs_compute_dipole_correction are collective, as are fcs_init and fcs_destroy.
 */
#ifndef STERNA_SCAFACOS_FCS_H
#define STERNA_SCAFACOS_FCS_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int fcs_int;
typedef double fcs_float;
typedef struct fcs_handle* FCS;
typedef struct fcs_result* FCSResult;

#define FCS_NULL NULL
#define FCS_RESULT_SUCCESS NULL

enum {
  FCS_ERROR_NULL_ARGUMENT = 1,
  FCS_ERROR_ALLOC_FAILED = 2,
  FCS_ERROR_WRONG_ARGUMENT = 3,
  FCS_ERROR_MISSING_ELEMENT = 4,
  FCS_ERROR_LOGICAL_ERROR = 5,
  FCS_ERROR_INCOMPATIBLE_METHOD = 6,
  FCS_ERROR_NOT_IMPLEMENTED = 7
};
enum {
  FCS_TOLERANCE_TYPE_UNDEFINED = 0,
  FCS_TOLERANCE_TYPE_ENERGY = 1,
  FCS_TOLERANCE_TYPE_ENERGY_REL = 2,
  FCS_TOLERANCE_TYPE_POTENTIAL = 3,
  FCS_TOLERANCE_TYPE_POTENTIAL_REL = 4,
  FCS_TOLERANCE_TYPE_FIELD = 5,
  FCS_TOLERANCE_TYPE_FIELD_REL = 6
};
enum { FCS_FMM_HOMOGENOUS_SYSTEM = 0, FCS_FMM_INHOMOGENOUS_SYSTEM = 1 };

fcs_int fcs_result_get_return_code(FCSResult result);
const char* fcs_result_get_function(FCSResult result);
const char* fcs_result_get_message(FCSResult result);
void fcs_result_print_result(FCSResult result);
void fcs_result_destroy(FCSResult result);

FCSResult fcs_init(FCS* new_handle, const char* method_name, MPI_Comm communicator);
FCSResult fcs_destroy(FCS handle);
const char* fcs_get_method_name(FCS handle);
MPI_Comm fcs_get_communicator(FCS handle);

/* Three edges in any directions. `periodicity`: of all directions, or of none. */
FCSResult fcs_set_common(FCS handle, fcs_int near_field_flag, const fcs_float* box_a,
                         const fcs_float* box_b, const fcs_float* box_c,
                         const fcs_float* box_origin, const fcs_int* periodicity,
                         fcs_int total_particles);
FCSResult fcs_set_dimensions(FCS handle, fcs_int dimensions);
fcs_int fcs_get_dimensions(FCS handle);
FCSResult fcs_set_near_field_flag(FCS handle, fcs_int near_field_flag);
fcs_int fcs_get_near_field_flag(FCS handle);
FCSResult fcs_set_redistribute(FCS handle, fcs_int redistribute);
fcs_int fcs_get_redistribute(FCS handle);
FCSResult fcs_set_box_a(FCS handle, const fcs_float* box_a);
const fcs_float* fcs_get_box_a(FCS handle);
FCSResult fcs_set_box_b(FCS handle, const fcs_float* box_b);
const fcs_float* fcs_get_box_b(FCS handle);
FCSResult fcs_set_box_c(FCS handle, const fcs_float* box_c);
const fcs_float* fcs_get_box_c(FCS handle);
FCSResult fcs_set_box_origin(FCS handle, const fcs_float* box_origin);
const fcs_float* fcs_get_box_origin(FCS handle);
FCSResult fcs_set_periodicity(FCS handle, const fcs_int* periodicity);
const fcs_int* fcs_get_periodicity(FCS handle);
FCSResult fcs_set_total_particles(FCS handle, fcs_int total_particles);
fcs_int fcs_get_total_particles(FCS handle);
FCSResult fcs_set_max_local_particles(FCS handle, fcs_int max_local_particles);
fcs_int fcs_get_max_local_particles(FCS handle);
FCSResult fcs_set_tolerance(FCS handle, fcs_int tolerance_type, fcs_float tolerance);
FCSResult fcs_get_tolerance(FCS handle, fcs_int* tolerance_type, fcs_float* tolerance);
/* "box_a,1.0,0.0,0.0,tolerance_field_rel,1e-6": names and values of the calls above. */
FCSResult fcs_set_parameters(FCS handle, const char* parameters, fcs_int continue_on_errors);
FCSResult fcs_print_parameters(FCS handle);
FCSResult fcs_fmm_set_internal_tuning(FCS handle, fcs_int system);
FCSResult fcs_fmm_get_internal_tuning(FCS handle, fcs_int* system);

FCSResult fcs_tune(FCS handle, fcs_int local_particles, fcs_float* positions, fcs_float* charges);
/* `field`: three numbers a particle. Results are in the order of the particles. */
FCSResult fcs_run(FCS handle, fcs_int local_particles, fcs_float* positions, fcs_float* charges,
                  fcs_float* field, fcs_float* potentials);
/* What a surrounding medium of permittivity `epsilon` adds; below 0: a conductor, which adds nothing. */
FCSResult fcs_compute_dipole_correction(FCS handle, fcs_int local_particles, fcs_float* positions,
                                        fcs_float* charges, fcs_float epsilon,
                                        fcs_float* field_correction, fcs_float* energy_correction);
FCSResult fcs_set_compute_virial(FCS handle, fcs_int compute_virial);
FCSResult fcs_get_compute_virial(FCS handle, fcs_int* compute_virial);
/* Nine numbers, the sum over all ranks. */
FCSResult fcs_get_virial(FCS handle, fcs_float* virial);

/* The near field stays in the library, so there is none to delegate and no cutoff. */
FCSResult fcs_get_near_field_delegation(FCS handle, fcs_int* near_field_delegation);
FCSResult fcs_set_r_cut(FCS handle, fcs_float r_cut);
FCSResult fcs_unset_r_cut(FCS handle);
/* Particles stay on their ranks and in their order, so nothing needs to be sorted again. */
FCSResult fcs_set_max_particle_move(FCS handle, fcs_float max_particle_move);
FCSResult fcs_set_resort(FCS handle, fcs_int resort);
FCSResult fcs_get_resort(FCS handle, fcs_int* resort);
FCSResult fcs_get_resort_availability(FCS handle, fcs_int* availability);

#ifdef __cplusplus
}
#endif

#endif
