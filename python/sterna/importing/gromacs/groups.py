"""Groups of atoms that an .mdp file names: those of an index file, or those that grompp makes itself.

Source: `index.cpp` (analyse) and `residuetypes.dat` of GROMACS; manual, "Default Groups".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sterna.errors import SternaError
from sterna.importing.gromacs.mdp import RunParameters
from sterna.importing.gromacs.preprocessor import TopologyLine, checked_blanks
from sterna.importing.split_types import split_types
from sterna.importing.system import System
from sterna.importing.text import read_text

_PROTEIN = """
    ABU ACE AIB ALA ARG ARGN ASN ASN1 ASP ASP1 ASPH ASPP ASH CT3 CYS CYS1 CYS2 CYSH DALA GLN GLU
    GLUH GLUP GLH GLY HIS HIS1 HISA HISB HISH HISD HISE HISP HSD HSE HSP HYP ILE LEU LSN LYS LYSN
    LYSH MELEU MET MEVAL NAC NME NHE NH2 PHE PHEH PHEU PHL PRO SER THR TRP TRPH TRPU TYR TYRH TYRU
    VAL PGLU HID HIE HIP LYP LYN CYN CYM CYX DAB ORN NALA NGLY NSER NTHR NLEU NILE NVAL NASN NGLN
    NARG NHID NHIE NHIP NHISD NHISE NHISH NTRP NPHE NTYR NGLU NASP NLYS NORN NDAB NLYSN NPRO NHYP
    NCYS NCYS2 NMET NASPH NGLUH CALA CGLY CSER CTHR CLEU CILE CVAL CASN CGLN CARG CHID CHIE CHIP
    CHISD CHISE CHISH CTRP CPHE CTYR CGLU CASP CLYS CORN CDAB CLYSN CPRO CHYP CCYS CCYS2 CMET CASPH
    CGLUH"""
_DNA = "DA DG DC DT DA5 DG5 DC5 DT5 DA3 DG3 DC3 DT3 DAN DGN DCN DTN"
_RNA = "A U C G RA RU RC RG RA5 RT5 RU5 RC5 RG5 RA3 RT3 RU3 RC3 RG3 RAN RTN RUN RCN RGN"
_WATER = "SOL WAT HOH OHH TIP T3P T4P T5P T3H"
_ION = "K NA CA MG CL ZN CU1 CU LI NA+ RB CS F CL- BR I OH Cal IB+"
#: Kinds of residues by their names in upper case.
_KINDS = {
    name.upper(): kind
    for kind, names in (
        ("Protein", _PROTEIN), ("DNA", _DNA), ("RNA", _RNA), ("Water", _WATER), ("Ion", _ION),
    )
    for name in names.split()
}  # fmt: skip


@dataclass
class Groups:
    """Atoms, counted from 0, by the names of groups in lower case."""

    atoms: dict[str, set[int]] = field(default_factory=dict)
    from_file: bool = False

    def find(self, name: str, line: TopologyLine) -> set[int]:
        """Raises SternaError at the line of the .mdp file where there is no such group."""
        if name.lower() not in self.atoms:
            where = "the index file has no" if self.from_file else "there is no"
            hint = "" if self.from_file else "; --index names the file that has it"
            line.fail(None, f'{where} group "{name}"{hint}')
        return self.atoms[name.lower()]


def default_groups(residues: Sequence[str]) -> Groups:
    """Returns the groups that grompp makes; `residues`: names of the residues of all atoms.

    Parts of proteins, such as Backbone, are not among them.
    """
    found: dict[str, set[int]] = {"system": set(range(len(residues)))}
    for atom, residue in enumerate(residues):
        kind = _KINDS.get(residue.upper(), "Other")
        names = {kind.lower()}
        if kind == "Water":
            names |= {"sol", "water_and_ions"}
        elif kind == "Ion":
            names |= {residue.lower(), "water_and_ions"}
        elif kind == "Other":
            names.add(residue.lower())
        for name in names:
            found.setdefault(name, set()).add(atom)
    for name in ("protein", "water"):
        if name in found and found[name] != found["system"]:
            found[f"non-{name}"] = found["system"] - found[name]
    if "ion" not in found or "water" not in found:
        found.pop("water_and_ions", None)
    return Groups(found)


def read_groups(path: Path, count: int) -> Groups:
    """Returns the groups of an index file (.ndx). Raises SternaError with line and column."""
    found: dict[str, set[int]] = {}
    atoms: set[int] | None = None
    for number, text in enumerate(read_text(path).split("\n"), 1):
        line = checked_blanks(TopologyLine(path, number, text.split(";", 1)[0]))
        if not line.text.strip():
            continue
        if line.text.lstrip().startswith("["):
            name = line.text.strip()[1:].split("]")[0].strip()
            if not name:
                line.fail(None, "expected the name of a group, such as [ System ]")
            if name.lower() in found:
                line.fail(None, f'a second group "{name}"')
            atoms = found.setdefault(name.lower(), set())
            continue
        if atoms is None:
            line.fail(0, "expected the name of a group, such as [ System ], before its atoms")
        fields = line.fields
        atoms.update(
            line.integer_at(fields, k, "the number of an atom", 1, count) - 1
            for k in range(len(fields))
        )
    if not found:
        raise SternaError(
            f"{path}: error: there is no group; expected [ NAME ] and atoms", status=2
        )
    return Groups(found, True)


def with_groups(system: System, asked: RunParameters, index: Path | None) -> System:
    """A system with the atoms that an .mdp file freezes, and whose thermostat has all atoms.

    Raises SternaError at the line of the .mdp file.
    """
    if asked.coupled is None and asked.frozen is None:
        return system
    count = len(system.atoms)
    residues = [atom.residue.name if atom.residue else "" for atom in system.atoms]
    groups = default_groups(residues) if index is None else read_groups(index, count)
    if asked.coupled is not None:
        coupled: set[int] = set()
        for name in asked.coupled.names:
            found = groups.find(name, asked.coupled.line)
            if not coupled.isdisjoint(found):
                asked.coupled.line.fail(None, f'atoms of "{name}" are in another of tc-grps, too')
            coupled |= found
        has_thermostat = asked.thermostat["kind"] != "none"
        if has_thermostat and len(coupled) < count:
            asked.coupled.line.fail(
                None,
                f"{count - len(coupled)} atoms are in none of tc-grps; GROMACS expects all of them",
            )
    if asked.frozen is None:
        return system
    frozen = set().union(*(groups.find(name, asked.frozen.line) for name in asked.frozen.names))
    return _with_frozen(system, frozen)


def _with_frozen(system: System, frozen: set[int]) -> System:
    """Atoms of types that rest; types of which only some atoms rest become two."""
    made, names = split_types(system, frozen, "_frozen")
    made.sections = {**made.sections, "freeze": [{"component": name} for name in names]}
    return made
