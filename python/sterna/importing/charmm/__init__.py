"""Files of CHARMM, read as CHARMM reads them.

- `psf`: sections of a PSF, with the place of each value;
- `parameters`: parameters by the types of atoms;
- `terms`: bonded terms, lone pairs, exclusions and 1-4 pairs;
- `coordinates`: CRD files;
- `namd`: configurations of NAMD;
- `judge`: OpenMM's reading of the same files;
- `charmm_system`: all of it as a `system.System`.
"""
