"""`sterna import`: systems of other programs as inputs of Sterna. OpenMM reads most of them.

- `sources`: files of other programs to a system of OpenMM;
- `forces`: the forces of such a system to terms of molecules, one function for each class;
- `molecules`: atoms and terms to kinds of molecules;
- `files`: the input, the start file and the files of large molecules;
- `comparison`: energies beside those of OpenMM;
- `rigid`: structures of rigid molecules, by MDAnalysis, whose atoms become orientations.
"""
