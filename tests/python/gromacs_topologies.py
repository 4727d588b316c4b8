"""Random topologies of GROMACS, and what gmx_d computes of them beside Sterna.

    python tests/python/gromacs_topologies.py --first 1 --count 100 [--keep FOLDER]

runs a campaign: each seed is a system with all directives, all combination rules, odd exclusions and
pairs. What differs, or is refused, is printed with its seed. test_gromacs_topologies.py has a sample.
"""

import argparse
import itertools
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from sterna.importing.gromacs.gromacs_system import Choices

ENERGY_TOLERANCE = 1e-6  #: relative, of each term, or in kJ/mol below 1 kJ/mol
FORCE_TOLERANCE = 1e-5  #: of the root mean square

EDGE = 2.6  #: nm
_TYPES = ("CA", "CB", "N1", "opls_135", "H*", "OW", "VS")


class Generator:
    """One system; `files` are its texts by their names."""

    def __init__(self, seed: int, tables: bool = True) -> None:
        """`tables`: with bonded functions from tables."""
        self.random = random.Random(seed)
        self.tables = tables
        self.rule = self.random.choice((1, 2, 3))
        self.defines: list[str] = []
        self.has_restraints = False
        #: Bonds that an .mdp file constrains.
        self.constraints = self.random.choice(("none", "none", "none", "h-bonds", "all-bonds"))
        self._places: list[numpy.ndarray] = []
        self._rows: list[tuple[int, str, str, numpy.ndarray]] = []
        self.files: dict[str, str] = {}
        self._write()

    # ---- numbers

    def number(self, low: float, high: float, digits: int = 5) -> str:
        return f"{self.random.uniform(low, high):.{digits}g}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _function(self, functions: tuple[int, ...], tables: tuple[int, ...]) -> int:
        """A number that GROMACS has for bonded functions; `tables`: those from tables."""
        return self.random.choice([n for n in functions if self.tables or n not in tables])

    def wells(self) -> str:
        """Two Lennard-Jones parameters."""
        if self.chance(0.15):
            return "0 0"
        sigma, epsilon = self.random.uniform(0.08, 0.2), self.random.uniform(0.1, 1.5)
        if self.rule == 1:
            c6 = 4 * epsilon * sigma**6
            return f"{c6:.8g} {c6 * sigma**6:.8g}"
        return f"{sigma:.6g} {epsilon:.6g}"

    # ---- force field

    def _write(self) -> None:
        mangled = self.random.choice((str, str.upper, lambda name: name.replace("_", "-")))
        self._head = lambda name: f"[ {mangled(name)} ]"
        kinds = [self._molecule(n) for n in range(self.random.choice((1, 1, 2, 3)))]
        if self.chance(0.4):
            kinds.append(self._water(len(kinds)))
        counts = [self.random.choice((1, 1, 2, 3)) for _ in kinds]
        field = self._force_field()
        lines = []
        if self.chance(0.5):
            self.files["ff/forcefield.itp"] = '#include "bonded.itp"\n'
            split = field.index(self._head("bondtypes"))
            self.files["ff/bonded.itp"] = "\n".join(field[split:]) + "\n"
            self.files["ff/nonbonded.itp"] = "\n".join(field[:split]) + "\n"
            lines += ['#include "ff/nonbonded.itp"', "# include <ff/forcefield.itp> ; bonded"]
        else:
            lines += field
        for text, _ in kinds:
            lines += text
        lines += [self._head("system"), "random", self._head("molecules")]
        blocks = [(n, count) for n, count in enumerate(counts)]
        if self.chance(0.3):
            blocks += [(self.random.randrange(len(kinds)), 1) for _ in range(3)]
            self.random.shuffle(blocks)
        lines += [f"{self.random.choice(('MOL', 'MOL', 'mol'))}{n} {count}" for n, count in blocks]
        for n, count in blocks:
            for _ in range(count):
                self._place(kinds[n][1])
        size = len(kinds[0][1])
        if self.chance(0.5) and len(kinds) == 1 and len(self._rows) == 2 * size > 8:
            lines += [
                self._head("intermolecular_interactions"), self._head("bonds"),
                f"1 {size + 1} 6 {self.number(0.3, 0.9)} {self.number(10, 90)}",
                self._head("dihedrals"),
                f"1 2 {size + 1} {size + 2} 2 {self.number(-90, 90)} {self.number(5, 20)}",
                self._head("pairs"), f"{size + 3} 2 1 {self.wells()}", f"2 {size + 3} 2",
                f"3 {size + 1} 2 0.5 0.3 -0.4 {self.wells()}",
            ]  # fmt: skip
        mark = "\ufeff" if self.chance(0.1) else ""
        if self.chance(0.5):
            lines = self._with_oddities(lines)
        self.files["topol.top"] = mark + "\n".join(["; random"] + lines) + "\n"
        self.files["conf.gro"] = self._gro()

    def _with_oddities(self, lines: list[str]) -> list[str]:
        """The same for GROMACS, but for a preprocessor of C."""
        r = self.random
        odd: list[list[str]] = [
            # The comment is a part of the name, so that nothing of that name is defined.
            ["#define SEEN", "#ifdef SEEN ; a comment", "nonsense", "#endif"],
            ["#ifndef NEVER", "#else", "nonsense", "#ifdef SEEN", "#include \"none.itp\"", "#endif",
             "#endif"],
            ["  #  ifdef NEVER", "#bad", "#error", "# else ; behind", "; fine", "\t#endif"],
            ["; a comment that goes on \\", "nonsense"],
            ["#define GONE 1 2 3", "#undef GONE"],
            ["#define TWICE 1", "#define TWICE ; nothing"],
        ]  # fmt: skip
        out: list[str] = []
        for n, line in enumerate(lines):
            out.append(line)
            follows = n + 1 < len(lines) and not line.endswith("\\")
            if follows and self.chance(0.03):
                out += r.choice(odd)
            elif follows and self.chance(0.03) and len(line.split()) > 3 and "#" not in line:
                words = out.pop().split()
                cut = r.randrange(1, len(words))
                out += [" ".join(words[:cut]) + " \\", " ".join(words[cut:])]
        return out

    def _force_field(self) -> list[str]:
        r = self.random
        fields = r.choice((2, 3, 5))
        self.generates = fields > 2 and self.chance(0.7)
        words = ["1", str(self.rule), "yes" if self.generates else "no",
                 self.number(0.2, 1), self.number(0.2, 1)]  # fmt: skip
        lines = [self._head("defaults"), " ".join(words[:fields]), self._head("atomtypes")]
        for name in _TYPES:
            bonded = self.bonded[name]
            columns = r.choice((f"{bonded} 6", bonded)) if bonded != name else r.choice(("", "7"))
            mass, letter = ("0.0", "V") if name == "VS" else (f"{self.masses[name]}", "A")
            lines.append(f"{name} {columns} {mass} 0.0 {letter} {self.wells()}")
        lines.append(self._head("nonbond_params"))
        pairs = [(a, b) for n, a in enumerate(_TYPES) for b in _TYPES[n:]]
        for a, b in r.sample(pairs, r.choice((0, 2, 6))):
            lines.append(f"{b} {a} 1 {self.wells()}")
        lines.append(self._head("pairtypes"))
        for a, b in pairs if not self.generates else r.sample(pairs, 5):
            lines.append(f"{a} {b} 1 {self.wells()}")
        lines += [self._head("bondtypes"), *self._types("bonds")]
        lines += [self._head("constrainttypes"), *self._types("constraints")]
        lines += [self._head("angletypes"), *self._types("angles")]
        lines += [self._head("dihedraltypes"), *self._dihedral_types()]
        lines += [self._head("cmaptypes"), *self.cmap_types]
        return lines

    # ---- parameters

    def parameters(self, section: str, function: int) -> str:
        n = self.number
        if section == "bonds":
            return {
                1: f"{n(0.12, 0.2)} {n(1e4, 2e5)}",
                2: f"{n(0.12, 0.2)} {n(1e5, 1e7)}",
                3: f"{n(0.12, 0.2)} {n(100, 400)} {n(10, 30)}",
                5: "",
                4: f"{n(0.12, 0.2)} {n(1e4, 2e5)} {n(-5, 5)}",
                6: f"{n(0.12, 0.3)} {n(100, 1e4)}",
                7: f"{n(0.3, 0.6)} {n(100, 1e4)}",
                10: f"{n(0.1, 0.14)} {n(0.141, 0.15)} {n(0.151, 0.2)} {n(100, 1e4)}",
                8: self._table("b"),
                9: self._table("b"),
            }[function]
        if function == 8:
            return self._table("a" if section == "angles" else "d")
        if section == "angles":
            first = f"{n(80, 140)} {n(50, 500)}"
            if function == 6:
                return f"{n(80, 140)} {' '.join(n(-20, 90) for _ in range(5))}"
            return first if function != 5 else f"{first} {n(0.2, 0.3)} {n(0, 5000)}"
        if section == "constraints":
            return n(0.14, 0.16)
        if function in (1, 4, 9):
            multiplicity = self.random.choice((1, 2, 3, 4, 6, -2, 0))
            return f"{n(-180, 180)} {n(-5, 20)} {multiplicity}"
        if function == 2:
            return f"{n(-200, 200)} {n(1, 100)}"
        if function == 10:
            return f"{n(-170, 170)} {n(1, 10)}"
        return " ".join(n(-10, 10) for _ in range({3: 6, 5: 4, 11: 6}[function]))

    def _table(self, letter: str) -> str:
        """The number of a table, whose file there is, and a factor."""
        number = self.random.choice((0, 1, 7))
        name = f"table_{letter}{number}.xvg"
        if name not in self.files:
            first, last = {"b": (0.0, 1.2), "a": (0.0, 180.0), "d": (-180.0, 180.0)}[letter]
            points = self.random.choice((61, 121, 181))
            waves = [(self.random.uniform(-20, 20), self.random.uniform(0, 6), n * 2 * numpy.pi
                      / (last - first)) for n in (1, 2, 3)]  # fmt: skip
            lines = ["# a table", '@ title "energy"']
            for x in numpy.linspace(first, last, points):
                energy = sum(a * numpy.cos(k * x - phase) for a, phase, k in waves)
                force = sum(a * k * numpy.sin(k * x - phase) for a, phase, k in waves)
                lines.append(f"{x:.10g} {energy:.12g} {force:.12g}")
            self.files[name] = "\n".join(lines) + "\n"
        return f"{number} {self.number(-3, 40)}"

    def _types(self, section: str) -> list[str]:
        """All that molecules ask for, in either direction, some twice."""
        lines = []
        for names, function in sorted(self.asked.get(section, ())):
            words = list(names if self.chance(0.5) else names[::-1])
            for _ in range(2 if self.chance(0.1) else 1):
                lines.append(f"{' '.join(words)} {function} {self.parameters(section, function)}")
        self.random.shuffle(lines)
        return lines

    def _dihedral_types(self) -> list[str]:
        lines: list[list[str]] = []
        seen = set()
        for names, function in sorted(self.asked.get("dihedrals", ())):
            shapes = [list(names)]
            if function in (1, 2, 3, 4, 9):
                a, b, c, d = names
                shapes += [["X", b, c, "X"], ["X", b, c, d], [a, "X", "X", d]]
                self.random.shuffle(shapes)
            for words in shapes[: self.random.choice((1, 2, 3))]:
                group = 1 if function == 9 else function
                if self.chance(0.5):
                    words = words[::-1]
                key = (group, min(tuple(words), tuple(words[::-1])))
                if key in seen and function == 9:
                    continue
                seen.add(key)
                block = []
                for _ in range(self.random.choice((1, 2, 3)) if function == 9 else 1):
                    block.append(f"{' '.join(words)} {function} {self.parameters('', function)}")
                lines.append(block)
            if not any(s == list(names) for s in shapes[:1]) and function in (5,):
                lines.append([f"{' '.join(names)} {function} {self.parameters('', function)}"])
        if not any("X X X X" in block[0] for block in lines):
            for function in (1, 2, 3, 4):
                lines.append([f"X X X X {function} {self.parameters('', function)}"])
        self.random.shuffle(lines)
        # Types of function 1 and 9 share a list, in which a second block of function 9 is an error.
        return [line for block in lines for line in block]

    # ---- molecules

    asked: dict[str, set]
    cmap_types: list[str]

    def _molecule(self, number: int) -> tuple[list[str], list]:
        r = self.random
        if number == 0:
            self.asked, self.cmap_types = {}, []
            self.bonded = {name: (r.choice(("T1", "T2", "T3")) if self.chance(0.5) else name)
                           for name in _TYPES}  # fmt: skip
            self.masses = {name: round(r.uniform(1.0, 40.0), 3) for name in _TYPES}
        size = r.randint(5, 12)
        shape, parents = self._shape(size)
        types = [r.choice(_TYPES[:-1]) for _ in range(size)]
        charges = [self.number(-0.6, 0.6, 3) for _ in range(size)]
        residues = [1 + k // 4 for k in range(size)]
        names = [f"{r.choice(('A', 'A', 'H', 'h', '1H'))}{k + 1}" for k in range(size)]
        self._masses = [
            self.masses[types[k]] if self.chance(0.5) else round(r.uniform(2, 30), 2)
            for k in range(size)
        ]
        sites = self._sites(size, shape) if self.chance(0.4) else []
        lines = [self._head("moleculetype"), f"MOL{number} {r.choice((0, 1, 2, 3, 3, 3, 4))}",
                 self._head("atoms")]  # fmt: skip
        for k in range(size):
            row = f"{k + 1} {types[k]} {residues[k]} RES {names[k]} {k + 1} {charges[k]}"
            if self._masses[k] != self.masses[types[k]] or self.chance(0.3):
                row += f" {self._masses[k]}"
                if self.chance(0.2):
                    row += f" {types[k]} {self.number(-1, 1)}"
            lines.append(row)
        for k, (_, _, may_be_charged) in enumerate(sites, size):
            names.append(f"M{k + 1}")
            residues.append(residues[-1])
            types.append("VS")
            charge = self.number(-0.3, 0.3, 3) if may_be_charged else "0"
            lines.append(f"{k + 1} VS {residues[k]} RES {names[k]} {k + 1} {charge} 0.0")
        bonds = [(parents[k], k) for k in range(1, size)]
        lines += self._bonded(bonds, parents, types, shape, size)
        lines += [line for _, text, _ in sites for line in text]
        one, others = size, r.sample(range(size), 3)
        places = [shape[k] for k in others]
        if (
            sites
            and self.chance(0.5)
            and _is_no_line([*places, sites[0][0]])
            and _is_no_line([*places[:2], sites[0][0]])
        ):
            lines += [
                self._head("angles"),
                f"{others[0] + 1} {others[1] + 1} {one + 1} 1 100 50",
                self._head("dihedrals"),
                f"{others[0] + 1} {others[1] + 1} {others[2] + 1} {one + 1} 2 20 30",
            ]
        lines += self._odd_pairs(size, [*shape, *(place for place, _, _ in sites)])
        if self.chance(0.3):
            self.has_restraints = True
            lines += ["#ifdef POSRES", self._head("position_restraints")]
            lines += [f"{k + 1} 1 {self.number(10, 900)} 0 {self.number(10, 900)}"
                      for k in r.sample(range(size), 2)]  # fmt: skip
            lines.append("#endif")
            if "POSRES" not in self.defines:
                self.defines.append("POSRES")
        atoms = [(residues[k], names[k], shape[k] if k < size else sites[k - size][0])
                 for k in range(len(names))]  # fmt: skip
        return lines, atoms

    def _water(self, number: int) -> tuple[list[str], list]:
        """Rigid where FLEXIBLE is not defined; SETTLE excludes nothing by itself."""
        half, height = 0.075695, 0.058588
        shape = [numpy.zeros(3), numpy.array([half, height, 0]), numpy.array([-half, height, 0])]
        lines = [self._head("moleculetype"), f"MOL{number} {self.random.choice((1, 2))}",
                 self._head("atoms")]  # fmt: skip
        for k, (kind, name, charge) in enumerate((("OW", "OW", -0.8), ("CA", "HW1", 0.4),
                                                  ("CA", "HW2", 0.4)), 1):  # fmt: skip
            lines.append(f"{k} {kind} 1 SOL {name} 1 {charge} {16.0 if k == 1 else 1.008}")
        lines += [
            "#ifndef FLEXIBLE", self._head("settles"), "1 1 0.09572 0.15139", "#else",
            self._head("bonds"), "1 2 1 0.09572 502416", "1 3 1 0.09572 502416",
            self._head("angles"), "2 1 3 1 104.52 628.02", "#endif",
        ]  # fmt: skip
        if self.chance(0.3) and "FLEXIBLE" not in self.defines:
            self.defines.append("FLEXIBLE")
        if self.chance(0.8):
            lines += [self._head("exclusions"), "1 2 3", "2 1 3", "3 1 2"]
        return lines, [(1, name, x) for name, x in zip(("OW", "HW1", "HW2"), shape, strict=True)]

    def _shape(self, size: int) -> tuple[list[numpy.ndarray], list[int]]:
        """Places of a tree of atoms that are not too near to each other, and each one's parent."""
        r = self.random
        places, parents = [numpy.zeros(3)], [-1]
        while len(places) < size:
            parent = max(0, len(places) - r.choice((1, 1, 1, 2, 3)))
            way = numpy.array([r.gauss(0, 1) for _ in range(3)])
            place = places[parent] + way / numpy.linalg.norm(way) * r.uniform(0.14, 0.16)
            if min(numpy.linalg.norm(place - other) for other in places) > 0.135:
                places.append(place)
                parents.append(parent)
        return places, parents

    def _line(self, section: str, atoms: tuple[int, ...], function: int, types: list[str]) -> str:
        """With parameters, or by types."""
        numbers = " ".join(str(k + 1) for k in atoms)
        if function == 5 and section == "bonds":
            return f"{numbers} 5"
        # GROMACS 2022 reads no [ dihedraltypes ] whose function has two digits.
        has_types = section != "dihedrals" or function < 10
        if has_types and self.chance(0.5) and "VS" not in {types[k] for k in atoms}:
            names = tuple(self.bonded[types[k]] for k in atoms)
            self.asked.setdefault(section, set()).add((min(names, names[::-1]), function))
            return f"{numbers} {function}"
        text = self.parameters(section, function)
        has_b = (section, function) not in (("bonds", 4), ("bonds", 7), ("angles", 6))
        if self.chance(0.1) and section != "constraints" and has_b:
            text = f"{text} {text}"  # states A and B
        return f"{numbers} {function} {text}"

    def _bonded(
        self, bonds: list, parents: list[int], types: list[str], shape: list, size: int
    ) -> list[str]:
        r = self.random
        lines = [self._head("bonds")]
        constrained = {k for k in range(len(bonds)) if self.chance(0.15)}
        for k, pair in enumerate(bonds):
            if k not in constrained:
                lines.append(
                    self._line(
                        "bonds",
                        pair,
                        self._function((1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (8, 9)),
                        types,
                    )
                )
                if self.chance(0.05) and lines[-1].split()[2] != "5":
                    lines.append(lines[-1])
        lines.append(self._head("constraints"))
        for k in sorted(constrained):
            a, b = bonds[k]
            length = numpy.linalg.norm(shape[a] - shape[b])
            lines.append(f"{a + 1} {b + 1} {r.choice((1, 2))} {length:.4f}"
                         + (" 100000" if self.chance(0.3) else ""))  # fmt: skip
        angles = [
            (a, b, c) for n, (b, a) in enumerate(bonds) for (x, c) in bonds[n + 1 :] if x == b
        ]
        angles += [(parents[b], b, c) for b, c in bonds if parents[b] >= 0]
        lines += ["#define ANG 104.5 320.25", self._head("angles")]
        for atoms in angles:
            if self.chance(0.1):
                lines.append(f"{' '.join(str(k + 1) for k in atoms)} 1 ANG ; by a name")
            elif self.chance(0.8):
                lines.append(
                    self._line("angles", atoms, self._function((1, 1, 2, 5, 6, 8, 10), (8,)), types)
                )
        lines.append(self._head("dihedrals"))
        chains = [(parents[parents[b]], parents[b], b, c) for b, c in bonds
                  if parents[b] >= 0 and parents[parents[b]] >= 0]  # fmt: skip
        for atoms in chains:
            function = self._function((1, 2, 3, 4, 5, 8, 9, 9, 10, 11), (8,))
            if function == 10 and not _is_far_from_plane([shape[k] for k in atoms]):
                function = 11
            line = self._line("dihedrals", atoms, function, types)
            lines.append(line)
            if len(line.split()) == 8 and function in (1, 9):
                words = line.split()
                lines.append(" ".join([*words[:5], self.number(-180, 180), "2.5", "5"]))
            if self.chance(0.1):
                lines.append(line)
        if size >= 5 and self.chance(0.4):
            five = next(((parents[a], a, b, c, d) for c, d in bonds for b in [parents[c]] if b >= 0
                         for a in [parents[b]] if a >= 0 and parents[a] >= 0), None)  # fmt: skip
            if five is not None:
                lines += self._cmap(five, types)
        return lines

    def _cmap(self, atoms: tuple[int, ...], types: list[str]) -> list[str]:
        if not {self.bonded[types[k]] for k in atoms} <= set(_TYPES):
            return []  # GROMACS 2022 looks for atom types there, later versions for bonded types
        names = " ".join(self.bonded[types[k]] for k in atoms)
        grid = " ".join(self.number(-3, 3, 4) for _ in range(576))
        values = grid.split()
        rows = ["\\\n".join(" ".join(values[k : k + 96]) for k in range(0, 576, 96))]
        self.cmap_types.append(f"{names} 1 24 24\\\n" + rows[0])
        line = " ".join(str(k + 1) for k in atoms) + " 1"
        if self.chance(0.3):
            line += f" {len(self.cmap_types)}"
        return [self._head("cmap"), line]

    def _odd_pairs(self, size: int, places: list[numpy.ndarray]) -> list[str]:
        r = self.random
        sites = len(places) - size
        every = [(a, b) for a in range(size + sites) for b in range(a + 1, size + sites)]
        lines = [self._head("exclusions")]
        for k in range(size, size + sites):
            # A site very near to an atom would have any energy.
            apart = [numpy.linalg.norm(places[k] - x) for n, x in enumerate(places) if n != k]
            if min(apart) < 0.12 or self.chance(0.85):
                lines.append(
                    f"{k + 1} " + " ".join(str(a + 1) for a in range(size + sites) if a != k)
                )
        for a, b in r.sample(every, min(len(every), r.choice((0, 2, 5)))):
            lines.append(f"{b + 1} {a + 1}" if self.chance(0.5) else f"{a + 1} {b + 1} {b + 1}")
        lines.append(self._head("pairs"))
        atoms = [
            (a, b)
            for a, b in every
            if b < size or (self.chance(0.3) and numpy.linalg.norm(places[a] - places[b]) > 0.12)
        ]
        for a, b in r.sample(atoms, min(len(atoms), r.choice((0, 3, 8)))):
            kind = r.choice(("types", "own", "charges", "bare"))
            if kind == "bare":
                lines.append(f"{a + 1} {b + 1} 2")
            elif kind == "types":
                lines.append(f"{b + 1} {a + 1} 1")
            elif kind == "own":
                lines.append(f"{a + 1} {b + 1} 1 {self.wells()}")
            else:
                lines.append(f"{a + 1} {b + 1} 2 {self.number(0.2, 1)} {self.number(-1, 1)} "
                             f"{self.number(-1, 1)} {self.wells()}")  # fmt: skip
            if self.chance(0.15):
                lines.append(lines[-1])
        if self.chance(0.2) and atoms:
            a, b = r.choice(atoms)
            lines += [self._head("pairs_nb"), f"{a + 1} {b + 1} 1 0.3 -0.4 {self.wells()}"]
        return lines

    def _sites(
        self, size: int, shape: list[numpy.ndarray]
    ) -> list[tuple[numpy.ndarray, list[str], bool]]:
        """Places and lines of virtual sites, and whether they may have a charge."""
        made: list[tuple[numpy.ndarray, list[str], bool]] = []
        points = list(shape)
        kinds: list[str] = []
        for n in range(self.random.choice((1, 2, 3, 4))):
            # GROMACS 2022 loses the force on [ virtual_sites1 ]: its forces do not add up to 0.
            kind = self.random.choice(_SITE_KINDS[1:])
            parts = self.random.sample(range(size), 4)
            # Of kinds that GROMACS computes before this one.
            before = [size + m for m, other in enumerate(kinds)
                      if _SITE_KINDS.index(other) < _SITE_KINDS.index(kind)]  # fmt: skip
            if before and self.chance(0.6):
                chain = list(parts)
                chain[self.random.randrange(4)] = self.random.choice(before)
                if _are_apart([points[k] for k in chain]):
                    parts = chain
            if kind == "n":
                place, text = self._mean(size + n, parts, size, points)
            else:
                place, text = _site(kind, size + n, parts, points, self.random.choice((4, -4)))
            apart = min(numpy.linalg.norm(place - other) for other in points)
            made.append((place, [self._head(text[0]), text[1]], bool(apart > 0.01)))
            points.append(place)
            kinds.append(kind)
        return made

    def _mean(
        self, site: int, parts: list[int], size: int, points: list[numpy.ndarray]
    ) -> tuple[numpy.ndarray, tuple[str, str]]:
        """A site of one to all atoms."""
        function = self.random.choice((1, 2, 3))
        others = [atom for atom in range(size) if atom not in parts]
        members = (parts + self.random.sample(others, len(others)))[
            : self.random.choice((1, 2, 3, 4, 5, 6, size))
        ]
        if function == 2:
            members = [atom for atom in members if atom < size]
        ids = [str(atom + 1) for atom in members]
        weights = numpy.ones(len(members))
        text = f"{site + 1} {function} {' '.join(ids)}"
        if function == 2:
            weights = numpy.array([self._masses[atom] for atom in members])
        elif function == 3:
            weights = numpy.array([self.random.uniform(0.2, 3.0) for _ in members])
            text = f"{site + 1} 3 " + " ".join(
                f"{a} {weight:.6f}" for a, weight in zip(ids, weights, strict=True)
            )
        place = weights @ numpy.array([points[atom] for atom in members]) / weights.sum()
        return place, ("virtual_sitesn", text)

    # ---- places

    def _place(self, atoms: list) -> None:
        """One more molecule where there is room."""
        r = self.random
        shape = numpy.array([place for _, _, place in atoms])
        for _ in range(1000):
            turn = numpy.linalg.qr(numpy.array([[r.gauss(0, 1) for _ in range(3)]
                                                for _ in range(3)]))[0]  # fmt: skip
            if numpy.linalg.det(turn) < 0.0:
                turn[0] = -turn[0]
            place = shape @ turn + numpy.array([r.uniform(0, EDGE) for _ in range(3)])
            others = numpy.array([row[3] for row in self._rows]).reshape(-1, 3)
            apart = place[:, None] - others[None]
            apart -= EDGE * numpy.rint(apart / EDGE)
            if not len(others) or (apart**2).sum(axis=2).min() > 0.25**2:
                break
        start = max((row[0] for row in self._rows), default=0)
        for (residue, name, _), x in zip(atoms, place, strict=True):
            self._rows.append((start + residue, "RES", name, x))

    def _gro(self) -> str:
        decimals = self.random.choice((3, 4, 5, 7))
        width = decimals + 5
        has_velocities = self.chance(0.3)
        lines = ["random", str(len(self._rows))]
        for n, (residue, name, atom, place) in enumerate(self._rows, 1):
            text = f"{residue:5d}{name:<5}{atom:>5}{n:5d}"
            text += "".join(f"{x:{width}.{decimals}f}" for x in place)
            if has_velocities:
                text += "".join(f"{self.random.gauss(0, 0.3):{width}.{decimals + 1}f}"
                                for _ in range(3))  # fmt: skip
            lines.append(text)
        lines.append(f"{EDGE} {EDGE} {EDGE}" + (" 0 0 0.3 0 -0.2 0.4" if self.chance(0.2) else ""))
        return "\n".join(lines) + "\n"


def _are_apart(places: list[numpy.ndarray]) -> bool:
    return all(numpy.linalg.norm(a - b) > 0.05 for a, b in itertools.combinations(places, 2))


#: In the order in which GROMACS computes them.
_SITE_KINDS = ("1", "2", "2fd", "3", "3fd", "3fad", "3out", "4fd", "4fdn", "n")


def _site(
    kind: str, site: int, parts: list[int], points: list[numpy.ndarray], function_of_3out: int
) -> tuple[numpy.ndarray, tuple[str, str]]:
    """The place of a site; its section and its line."""
    x, *others = (points[k] for k in parts)
    ij, ik, il = (other - x for other in others)
    jk, jl = ik - ij, il - ij
    ids = " ".join(str(k + 1) for k in parts[: int(kind[0])])
    unit = lambda v: v / numpy.linalg.norm(v)  # noqa: E731
    head = f"{site + 1} {ids}"
    if kind == "1":
        return x, ("virtual_sites1", f"{head} 1")
    if kind == "2":
        return x + 0.3 * ij, ("virtual_sites2", f"{head} 1 0.3")
    if kind == "2fd":
        return x - 0.08 * unit(ij), ("virtual_sites2", f"{head} 2 -0.08")
    if kind == "3":
        return x + 0.2 * ij + 0.3 * ik, ("virtual_sites3", f"{head} 1 0.2 0.3")
    if kind == "3fd":
        return x + 0.07 * unit(ij + 0.4 * jk), ("virtual_sites3", f"{head} 2 0.4 0.07")
    if kind == "3fad":
        angle = numpy.radians(110.0)
        across = unit(jk - ij * (ij @ jk) / (ij @ ij))
        place = x + 0.09 * (numpy.cos(angle) * unit(ij) + numpy.sin(angle) * across)
        return place, ("dummies3", f"{head} 3 110 0.09")
    if kind == "3out":
        place = x + 0.2 * ij - 0.1 * ik + 2.0 * numpy.cross(ij, ik)
        return place, ("virtual_sites3", f"{head} {function_of_3out} 0.2 -0.1 2.0")
    if kind == "4fd":
        place = x + 0.06 * unit(ij + 0.2 * jk + 0.3 * jl)
        return place, ("virtual_sites4", f"{head} 1 0.2 0.3 0.06")
    normal = numpy.cross(0.9 * ik - ij, 1.1 * il - ij)
    return x + 0.06 * unit(normal), ("virtual_sites4", f"{head} 2 0.9 1.1 0.06")


def _is_no_line(places: list[numpy.ndarray]) -> bool:
    """Whether the angle of three places, or the dihedral angle of four, is defined."""
    steps = [second - first for first, second in itertools.pairwise(places)]
    return all(numpy.linalg.norm(numpy.cross(a, b)) > 5e-3 for a, b in itertools.pairwise(steps))


def _is_far_from_plane(places: list[numpy.ndarray]) -> bool:
    """Whether the energy of a restricted dihedral, which has poles at 0 and 180 degrees, is finite."""
    a, b, c = (second - first for first, second in itertools.pairwise(places))
    m, n = numpy.cross(a, b), numpy.cross(b, c)
    size = numpy.linalg.norm(m) * numpy.linalg.norm(n)
    return size > 1e-4 and abs(m @ n) / size < 0.95


def write(generator: Generator, folder: Path) -> tuple[Path, Path]:
    for name, text in generator.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "topol.top", folder / "conf.gro"


_PIECES = ("", "x", "-1", "0", "1", "2", "3", "9", "nan", "1e999", "99999999999", ";", "[ atoms ]",
           "[ bonds ]", "[", "#ifdef A", "#endif", "#else", "\\", "\n", "\0", "é", "X", "CA")  # fmt: skip


def mutate(generator: Generator, numbers: random.Random) -> None:
    """Breaks a word or a line of a topology."""
    name = numbers.choice([each for each in generator.files if each != "conf.gro"])
    lines = generator.files[name].splitlines()
    n = numbers.randrange(len(lines))
    words = lines[n].split()
    kind = numbers.choice(("word", "word", "delete", "double", "swap", "cut"))
    if kind == "word" and words:
        words[numbers.randrange(len(words))] = numbers.choice(_PIECES)
        lines[n] = " ".join(words)
    elif kind == "delete":
        del lines[n]
    elif kind == "double":
        lines.insert(numbers.randrange(len(lines)), lines[n])
    elif kind == "swap":
        m = numbers.randrange(len(lines))
        lines[n], lines[m] = lines[m], lines[n]
    else:
        lines[n] = " ".join(words[:-1])
    generator.files[name] = "\n".join(lines) + "\n"


def choices_of(generator: Generator) -> "Choices":
    from sterna.importing.gromacs.gromacs_system import Choices

    return Choices(0.9, generator.constraints, defines=tuple(generator.defines))


def worst_differences(folder: Path, seed: int, mutation: int | None = None) -> list:
    """Rows of the comparison whose difference is above the tolerance."""
    from sterna.importing.gromacs.gromacs_system import read_gromacs
    from sterna.importing.gromacs.judge import compare, find_judge
    from sterna.importing.molecules import Molecules

    generator = Generator(seed)
    if mutation is not None:
        mutate(generator, random.Random(mutation))
    top, gro = write(generator, folder)
    choices = choices_of(generator)
    molecules = Molecules(read_gromacs(top, gro, choices))
    judge = find_judge()
    assert judge is not None and judge.is_double
    rows = compare(judge, top, gro, choices, molecules)
    return [
        row
        for row in rows
        if row.difference > (FORCE_TOLERANCE if row.name == "forces" else ENERGY_TOLERANCE)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--mutate", action="store_true", help="break each topology in one place")
    parser.add_argument("--keep", type=Path, help="a folder for the systems that differ")
    arguments = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    from sterna import SternaError

    right = refused = wrong = 0
    for seed in range(arguments.first, arguments.first + arguments.count):
        with tempfile.TemporaryDirectory() as name:
            try:
                rows = worst_differences(Path(name), seed, seed if arguments.mutate else None)
            except SternaError as error:
                refused += 1
                print(f"seed {seed}: {error}", flush=True)
                rows = []
            else:
                right += not rows
                wrong += bool(rows)
            for row in rows:
                print(f"seed {seed}: {row.name} {row.sterna:.9g}, of GROMACS {row.judge:.9g}, "
                      f"{row.difference:.1e}", flush=True)  # fmt: skip
            if arguments.keep is not None and rows:
                generator = Generator(seed)
                if arguments.mutate:
                    mutate(generator, random.Random(seed))
                write(generator, arguments.keep / str(seed))
    print(f"{right} right, {refused} refused, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
