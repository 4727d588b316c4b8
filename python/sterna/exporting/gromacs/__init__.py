"""Systems as GROMACS has them: a topology, places, run parameters.

- `terms`: bonded terms and virtual sites as lines of a topology;
- `molecules`: a `[[molecule]]` or a rigid `[[component]]` as a `[ moleculetype ]`;
- `topology`: the whole `.top`;
- `places`: `.gro` with twelve decimals;
- `position_restraints`: which atoms `[[restraint]]`s hold, and where;
- `run_parameters`: the `.mdp`;
- `refusal`: errors for what GROMACS does not have.
"""
