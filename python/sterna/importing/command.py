"""`sterna import`: a system of another program becomes an input."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sterna.errors import SternaError
from sterna.support.edges_option import CommandWithEdges, edges_of
from sterna.support.file_options import Output, Overwrite

if TYPE_CHECKING:
    from sterna.importing.amber.amber_system import Choices as ChoicesOfAmber
    from sterna.importing.charmm.charmm_system import Choices as ChoicesOfCharmm
    from sterna.importing.comparison import Row
    from sterna.importing.gromacs.gromacs_system import Choices
    from sterna.importing.molecules import Molecules
    from sterna.importing.system import System


def add_to(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(name="import", cls=CommandWithEdges)(import_system)


_CUTOFF = 1.0  #: nm


class Constraints(StrEnum):
    """The bonds that keep their lengths."""

    none = "none"
    hydrogen = "hydrogen"
    all = "all"


@dataclass
class _After:
    """What becomes of a system that was read, and of files that are there already."""

    hydrogen_mass: float | None
    rigid: list[str]  #: molecules that become components, as --rigid names them
    overwrite: bool


def _import_rigid(
    files: list[Path],
    model: list[str],
    output: Path,
    cutoff: float,
    box: str | None,
    overwrite: bool,
) -> None:
    from sterna.importing import rigid

    if len(files) != 1:
        raise SternaError(f"--model is for one structure, and there are {len(files)} files", 2)
    edges = None if box is None else edges_of(box)
    matched = rigid.match(files[0], rigid.models_of(model), edges)
    for path in rigid.write(matched, output, cutoff, overwrite, files):
        print(f"wrote {path}")
    counts = {name: matched.names.count(name) for name in matched.components}
    print(", ".join(f"{n} {name} ({matched.components[name]})" for name, n in counts.items()))
    print(f"largest difference from a model: {matched.deviation:.2g} nm")
    for note in matched.notes:
        print(f"sterna: warning: {note}", file=sys.stderr)


def _import_models(files: list[Path], output: Path, overwrite: bool) -> None:
    from sterna.importing import molmod

    _tell(*molmod.write(files, output, overwrite))


def _tell(written: list[Path], notes: list[str]) -> None:
    for path in written:
        print(f"wrote {path}")
    for note in notes:
        print(f"sterna: warning: {note}", file=sys.stderr)


def _import_state(file: Path, output: Path, overwrite: bool) -> None:
    from sterna.importing import ms2

    _tell(*ms2.write(file, output, overwrite))


def import_system(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="A data file of LAMMPS and its input script; PLACES.pdb or .cif with "
            "--force-field; a structure (.pdb, .gro ...) with --model; SYSTEM.xml and PLACES.pdb "
            "of OpenMM; .top and .gro of GROMACS; .prmtop and .inpcrd of AMBER; .psf, parameters "
            "and PLACES.pdb or .crd of CHARMM; models of MolMod and ms2 (.pm), or a state of ms2 "
            "(.par) with its models beside it.",
        ),
    ],
    output: Output,
    force_field: Annotated[
        list[str] | None,
        typer.Option(help="A force field of OpenMM, such as amber14-all.xml; may be repeated."),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RESIDUE=MODEL",
            help="A rigid molecule of the structure is this one of `sterna models`; water=spce is "
            "for all that files call water. May be repeated.",
        ),
    ] = None,
    cutoff: Annotated[
        float | None,
        typer.Option(
            min=0.1, help="In nm; a serialized system, an .mdp and an mdin have one. Default: 1."
        ),
    ] = None,
    constraints: Annotated[
        Constraints | None,
        typer.Option(
            help="Bonds that keep their lengths; with others than none, water is rigid. "
            "Constraints of a topology of GROMACS stay with all of them. A serialized system has "
            "its own. Default: hydrogen; of LAMMPS none."
        ),
    ] = None,
    hydrogen_mass: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            max=4.0,
            help="In u, of hydrogen that is bonded: taken from the atom that it is bonded to, so "
            "that time steps can be longer. 3.024 is usual. Rigid water stays as it is.",
        ),
    ] = None,
    box: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="Edges of the box in nm, where the files have none; one for a cube.",
        ),
    ] = None,
    include: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Of files that a .top of GROMACS includes; default: where GROMACS is installed.",
        ),
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="What an .mdp of GROMACS defines by -DNAME or -DNAME=VALUE, such as POSRES or "
            "FLEXIBLE. May be repeated.",
        ),
    ] = None,
    table: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE.XVG",
            help="A table of bonded interactions of GROMACS (mdrun -tableb), whose name ends with "
            "b0.xvg, a0.xvg or d0.xvg, or another number. May be repeated; default: table_b0.xvg and "
            "so on beside the .top.",
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .gro, or coordinates of AMBER, with the places of position restraints (grompp -r, "
            "sander -ref); default: where atoms are at the start.",
        ),
    ] = None,
    mdp: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE.MDP",
            help="An .mdp of GROMACS: its run, cutoff, constraints, thermostat and barostat. "
            "Several, in the order of their runs, become the stages of the input.",
        ),
    ] = None,
    index: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.NDX",
            help="An index file of GROMACS with the groups that --mdp names; default: those that "
            "grompp makes.",
        ),
    ] = None,
    mdin: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="An mdin of AMBER: its run, cutoff, constraints, thermostat, barostat and "
            "restraints. Several, in the order of their runs, become the stages of the input.",
        ),
    ] = None,
    namd: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A configuration of NAMD beside files of CHARMM: its run, cutoff, constraints, "
            "thermostat and barostat. Alone, as one of FILES, it names the others.",
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STYLE",
            help="A fix of a LAMMPS script, such as setforce, that Sterna has no counterpart of: "
            "the system is imported without it. May be repeated.",
        ),
    ] = None,
    rigid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=component",
            help="Molecules of this name that keep their shapes become [[component]]s, rigid molecules "
            "with orientations; water=component is for all that files call water, all=component for "
            "all that can, and NAME=atoms leaves some out. May be repeated.",
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Show energies and forces beside those of a judge: of GROMACS itself for its "
            "files (gmx_d or gmx, or what STERNA_GROMACS names), of OpenMM for others.",
        ),
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """Write a system of another program as an input of Sterna.

    OpenMM reads all but files of GROMACS, LAMMPS, AMBER and CHARMM (pip install openmm). What Sterna does
    not have is refused by name and place. With --compare the command fails where an energy, or the forces,
    differ by more than 1e-5 from the judge that it names, and ends with status 3 where that is not
    installed.

    With --model atoms become rigid molecules with orientations. MDAnalysis reads such structures
    (pip install MDAnalysis). With --rigid so do molecules of the other files that keep their shapes.
    """
    from sterna.importing.compressed import unpacked

    others = {
        "--hydrogen-mass": hydrogen_mass, "--force-field": force_field, "--compare": compare,
        "--constraints": constraints, "--include": include, "--define": define,
        "--table": table, "--reference": reference, "--mdp": mdp, "--index": index, "--mdin": mdin,
        "--namd": namd, "--leave-out": leave_out, "--rigid": rigid,
    }  # fmt: skip
    if len(files) == 1 and files[0].suffix == ".par":
        for option, value in (
            others | {"--model": model, "--cutoff": cutoff, "--box": box}
        ).items():
            if value:
                raise SternaError(f"{option} is not for states of ms2 (.par)", 2)
        _import_state(files[0], output, overwrite)
        return
    are_models = [path.name.removesuffix(".gz").endswith(".pm") for path in files]
    if all(are_models):
        for option, value in (
            others | {"--model": model, "--cutoff": cutoff, "--box": box}
        ).items():
            if value:
                raise SternaError(f"{option} is not for models of MolMod (.pm)", 2)
        with unpacked(files) as plain:
            _import_models(plain, output, overwrite)
        return
    if any(are_models):
        path = files[are_models.index(True)]
        raise SternaError(f"{path} is a model of MolMod; expected such models alone", 2)
    if model:
        for option, value in others.items():
            if value:
                raise SternaError(f"{option} is for atoms, and --model for rigid molecules", 2)
        with unpacked(files) as plain:
            _import_rigid(plain, model, output, cutoff or _CUTOFF, box, overwrite)
        return
    with unpacked(files) as plain:
        _import_atoms(
            plain, output, force_field or [], cutoff, constraints, box, include,
            define or [], table or [], reference, mdp or [], index, mdin or [], namd, leave_out or [],
            compare, _After(hydrogen_mass, rigid or [], overwrite),
        )  # fmt: skip


def _import_atoms(
    files: list[Path],
    output: Path,
    force_field: list[str],
    cutoff: float | None,
    constraints: Constraints | None,
    box: str | None,
    include: Path | None,
    define: list[str],
    table: list[Path],
    reference: Path | None,
    mdp: list[Path],
    index: Path | None,
    mdin: list[Path],
    namd: Path | None,
    leave_out: list[str],
    compare: bool,
    after: _After,
) -> None:
    from sterna.importing.charmm.charmm_system import Choices as ChoicesOfCharmm
    from sterna.importing.charmm.charmm_system import files_of_charmm, files_of_namd
    from sterna.importing.charmm.namd import is_namd
    from sterna.importing.gromacs.gromacs_system import Choices
    from sterna.importing.lammps.lammps_system import read_lammps

    edges = None if box is None else edges_of(box)
    if namd is None and len(files) == 1 and is_namd(files[0]):
        namd = files[0]
    for option, value in (("--mdp", mdp), ("--mdin", mdin), ("--namd", namd)):
        if value and (cutoff is not None or constraints is not None):
            raise SternaError(f"--cutoff and --constraints are in the file of {option}", status=2)
    amber = _files_of_amber(files, force_field)
    if mdin and amber is None:
        raise SternaError("--mdin is for a topology and coordinates of AMBER", status=2)
    charmm = files_of_namd(namd) if files == [namd] else files_of_charmm(files)
    if namd is not None and charmm is None:
        raise SternaError("--namd is for a PSF, parameters and places of CHARMM", status=2)
    gromacs = _files_of_gromacs(files)
    if gromacs is not None:
        if force_field:
            raise SternaError("--force-field is for places alone; a .top has its own", status=2)
        if index is not None and not mdp:
            raise SternaError("--index is for the groups of --mdp", status=2)
        kept = (constraints or Constraints.hydrogen).value
        folders = () if include is None else (include,)
        _import_gromacs(
            *gromacs, output,
            Choices(
                cutoff or _CUTOFF, kept, edges, folders, tuple(define), reference, index=index,
                tables=tuple(table),
            ),
            mdp, compare, after,
        )  # fmt: skip
        return
    if define or include or table or mdp or index or (reference and amber is None):
        raise SternaError(
            "--define, --reference, --include, --table, --mdp and --index are for a .top and a .gro "
            "of GROMACS",
            status=2,
        )
    cutoff = cutoff or _CUTOFF
    data, scripts = ([], []) if amber or charmm else _files_of_lammps(files)
    if data or scripts:
        if force_field or box is not None:
            option = "--force-field" if force_field else "--box"
            raise SternaError(f"{option} is not for files of LAMMPS, which have it", status=2)
        system = read_lammps(
            data[0] if data else None, scripts, cutoff,
            None if constraints is None else constraints.value, set(leave_out),
        )  # fmt: skip
        molecules = _written(system, output, after, files)
        if compare:
            from sterna.importing.lammps import judge

            name, rows = judge.compare(
                data[0] if data else None, scripts, cutoff, set(leave_out), molecules
            )
            print(f"judge: {name}")
            _show(rows, "LAMMPS", judge.TOLERANCE)
        return
    if leave_out:
        raise SternaError("--leave-out is for scripts of LAMMPS", status=2)
    if amber is not None:
        from sterna.importing.amber.amber_system import Choices as ChoicesOfAmber

        kept = (constraints or Constraints.hydrogen).value
        _import_amber(
            *amber, output, ChoicesOfAmber(cutoff, kept, edges, reference=reference), mdin,
            compare, after,
        )  # fmt: skip
        return
    if charmm is not None:
        if force_field:
            raise SternaError("--force-field is for places alone; CHARMM's parameters are files", 2)
        kept = (constraints or Constraints.hydrogen).value
        _import_charmm(
            *charmm,
            output,
            ChoicesOfCharmm(cutoff, kept, edges, namd),
            compare,
            after,
        )
        return
    # OpenMM is slow to load, and needed here only.
    from sterna.importing.openmm_system import system_of
    from sterna.importing.sources import Settings, read

    kept = (constraints or Constraints.hydrogen).value
    source = read(files, Settings(force_field, cutoff, kept, edges))
    system = system_of(source)
    molecules = _written(system, output, after, files)
    if not compare:
        return
    from sterna.importing import comparison
    from sterna.importing.sources import openmm

    print(f"judge: OpenMM {openmm().__version__}, which also read these files")
    _show(comparison.compare(source, molecules), "OpenMM", comparison.TOLERANCE)


def _written(
    system: "System",
    output: Path,
    after: _After,
    sources: list[Path],
    stages: "dict[str, System] | None" = None,
) -> "Molecules":
    """Writes a system that was read from `sources`, and prints notes on the data that were not
    kept.
    """
    from sterna.importing import files as written
    from sterna.importing.components import choices_of, with_components
    from sterna.importing.hydrogen_mass import repartition
    from sterna.importing.molecules import Molecules
    from sterna.importing.sites_on_charges import require_charges_apart

    if after.hydrogen_mass is not None:
        system = repartition(system, after.hydrogen_mass)
        if stages is not None:
            stages = {name: repartition(one, after.hydrogen_mass) for name, one in stages.items()}
    require_charges_apart(system)
    notes: list[str] = []
    if after.rigid:
        choices = choices_of(after.rigid)
        if stages is not None:
            # All stages have the molecules of the whole.
            stages = {
                name: with_components(
                    replace(one, atoms=system.atoms, terms=system.terms, joined=system.joined),
                    choices,
                )[0]
                for name, one in stages.items()
            }
        system, notes = with_components(system, choices)
    molecules = Molecules(system)
    for path in written.write(molecules, output, after.overwrite, sources, stages):
        print(f"wrote {path}")
    if stages is not None:
        print(f"stages: {', '.join(stages)}")
    for text in notes:
        print(text)
    for text in system.not_kept:
        print(f"sterna: warning: {text}", file=sys.stderr)
    return molecules


def _staged(
    settings: list[Path], read: Callable[[Path | None], "System"]
) -> "tuple[System, dict[str, System] | None]":
    """The system that files of settings ask for, and of several of them the stages."""
    from sterna.importing.stages import joined

    if len(settings) < 2:
        return read(settings[0] if settings else None), None
    return joined(settings, [read(path) for path in settings])


def _show(rows: "list[Row]", judge: str, tolerance: float) -> None:
    """Prints a comparison. Raises SternaError where a difference is above the tolerance."""
    print(f"{'kJ/mol':16}{'Sterna':>18}{judge:>18}{'difference':>12}")
    for row in rows:
        print(f"{row.name:16}{row.sterna:18.6f}{row.judge:18.6f}{row.difference:12.1e}")
    worst = max(rows, key=lambda row: row.difference)
    if worst.difference > tolerance:
        what = "forces differ" if worst.name == "forces" else f"energy of {worst.name} differs"
        raise SternaError(f"the {what} by {worst.difference:.1e}")


def _files_of_lammps(files: list[Path]) -> tuple[list[Path], list[Path]]:
    """Returns a data file, or none, and scripts; two empty lists if the files belong to another
    program.
    """
    from sterna.importing.lammps.lammps_system import is_data_file
    from sterna.importing.lammps.script import is_script

    data = [path for path in files if is_data_file(path)]
    scripts = [path for path in files if path not in data]
    if len(data) == 1 or (not data and scripts and all(is_script(path) for path in scripts)):
        return data, scripts
    if len(data) > 1:
        raise SternaError(
            f"{', '.join(map(str, data))} are data files of LAMMPS; expected one", status=2
        )
    return [], []


def _files_of_gromacs(files: list[Path]) -> tuple[Path, Path] | None:
    """A topology and a file of places."""
    topologies = [path for path in files if path.suffix.lower() == ".top"]
    places = [path for path in files if path.suffix.lower() == ".gro"]
    if len(files) != 2 or len(topologies) != 1 or len(places) != 1:
        return None
    for path in files:
        if not path.is_file():
            raise SternaError(f"the file {path} does not exist or is no file", status=2)
    return topologies[0], places[0]


def _files_of_amber(files: list[Path], force_field: list[str]) -> tuple[Path, Path] | None:
    """A topology and a file of places."""
    from sterna.importing.amber.amber_system import files_of_amber

    found = files_of_amber(files)
    if found is not None and force_field:
        raise SternaError("--force-field is for places alone; a topology of AMBER has its own", 2)
    return found


def _import_amber(
    topology: Path,
    places: Path,
    output: Path,
    choices: "ChoicesOfAmber",
    mdin: list[Path],
    compare: bool,
    after: _After,
) -> None:
    from sterna.importing.amber.amber_system import read_amber

    system, stages = _staged(
        mdin, lambda path: read_amber(topology, places, replace(choices, mdin=path))
    )
    choices = replace(choices, mdin=mdin[-1] if mdin else None)
    sources = [topology, places, *mdin, *filter(None, [choices.reference])]
    molecules = _written(system, output, after, sources, stages)
    if not compare:
        return
    from sterna.importing import comparison
    from sterna.importing.amber import judge
    from sterna.importing.sources import openmm

    print(f"judge: OpenMM {openmm().__version__}")
    source = judge.source_of(topology, places, choices)
    exclusions, pairs_14 = comparison.compare_lists(source, system)
    print(f"the same lists: {exclusions} exclusions, {pairs_14} 1-4 pairs")
    _show(comparison.compare(source, molecules), "OpenMM", comparison.TOLERANCE)


def _import_charmm(
    topology: Path,
    parameters: list[Path],
    places: Path,
    output: Path,
    choices: "ChoicesOfCharmm",
    compare: bool,
    after: _After,
) -> None:
    from sterna.importing.charmm.charmm_system import read_charmm
    from sterna.importing.charmm.namd import stages_of
    from sterna.importing.stages import joined

    commands = [] if choices.namd is None else stages_of(choices.namd)
    stages = None
    if len(commands) > 1:
        system, stages = joined(
            [Path(name) for name in commands],
            [
                read_charmm(topology, parameters, places, replace(choices, stage=stage))
                for stage in range(len(commands))
            ],
        )
    else:
        system = read_charmm(topology, parameters, places, choices)
    sources = [topology, *parameters, places, *filter(None, [choices.namd])]
    molecules = _written(system, output, after, sources, stages)
    if not compare:
        return
    from sterna.importing import comparison
    from sterna.importing.charmm import judge
    from sterna.importing.sources import openmm

    print(f"judge: OpenMM {openmm().__version__}")
    source = judge.source_of(topology, parameters, places, choices)
    exclusions, pairs_14 = comparison.compare_lists(source, system)
    print(f"the same lists: {exclusions} exclusions, {pairs_14} 1-4 pairs")
    _show(comparison.compare(source, molecules), "OpenMM", comparison.TOLERANCE)


NOTHING_PROVEN = 3  #: exit status of --compare without a program to compare with


def _import_gromacs(
    topology: Path,
    places: Path,
    output: Path,
    choices: "Choices",
    mdp: list[Path],
    compare: bool,
    after: _After,
) -> None:
    from sterna.importing.gromacs.gromacs_system import read_gromacs

    system, stages = _staged(
        mdp, lambda path: read_gromacs(topology, places, replace(choices, mdp=path))
    )
    choices = replace(choices, mdp=mdp[-1] if mdp else None)
    sources = [topology, places, *mdp, *choices.tables, *filter(None, [choices.reference])]
    molecules = _written(system, output, after, sources, stages)
    if not compare:
        return
    from sterna.importing.gromacs import judge

    found = judge.find_judge()
    if found is None:
        raise SternaError(
            "nothing was proven: --compare needs GROMACS, and neither gmx_d nor gmx is installed; "
            "install it (apt install gromacs), or name the program in STERNA_GROMACS",
            status=NOTHING_PROVEN,
        )
    print(f"judge: {found.name}")
    _show(judge.compare(found, topology, places, choices, molecules), "GROMACS", found.tolerance)
