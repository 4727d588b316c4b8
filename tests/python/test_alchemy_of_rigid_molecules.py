"""Alchemical rigid molecules: energies, forces, torques and virials of all states are those of sums over
all pairs of sites in NumPy and their differences, on any number of ranks."""

import json
import operator
import subprocess
from dataclasses import replace

import numpy
import pytest
from conftest import ROOT, sterna_command, sterna_environment
from engine_support import script_output
from mixed_matter import COULOMB, Mixture, Rigid
from sterna import read_log
from sterna.free_energies import read_states
from test_rotors_and_atoms import (
    ARGON,
    DIOXIDE,
    POLAR,
    SCRIPT,
    WATER,
    electrolyte,
    mixture,
    write,
)

#: lambda of charges and of van der Waals interactions of each state
STATES = [(0, 0), (0.4, 0), (1, 0), (1, 0.3), (1, 0.7), (1, 1), (0.4, 0.3)]
ALPHA = 0.5
#: All kinds of sites in one molecule.
ALL = Rigid(
    "all",
    masses=[((0, 0, 0.05), 20.0), ((0, 0.04, -0.05), 10.0), ((0, -0.04, -0.05), 10.0)],
    wells=[((0, 0, 0.05), 0.8, 0.33), ((0, 0.04, -0.05), 0.3, 0.25)],
    charges=[((0, 0.04, -0.05), 0.2), ((0, -0.04, -0.05), -0.2)],
    dipoles=[((0, 0, 0.05), 0.04)],
    quadrupoles=[((0, 0, 0.03), 0.02)],
)


def scaled(one: Rigid, factor: float) -> Rigid:
    """With this factor of charges and moments."""
    parts = {
        name: [(place, factor * strength) for place, strength in getattr(one, name)]
        for name in ("charges", "dipoles", "quadrupoles")
    }
    return Rigid(one.name, one.masses, one.wells, **parts)


class Alchemical(Mixture):
    """A mixture of which some rigid molecules and atoms are switched off: their charges and multipoles
    are times 1 - lambda, and their wells have soft cores."""

    def at(self, names: str, charges: float, wells: float) -> "Alchemical":
        """`names`: of these, with spaces between them."""
        name = names.split()
        rigid = [scaled(one, 1.0 - charges) if one.name in name else one for one in self.rigid]
        atoms = [
            replace(one, charge=(1.0 - charges) * one.charge) if one.name in name else one
            for one in self.atoms
        ]
        own = {k: v for k, v in vars(self).items() if k != "field"}
        other = Alchemical(**own | {"rigid": rigid, "atoms": atoms})
        other.switched, other.wells_off, other.field = name, wells, self.field
        return other

    def copy(self, **changed) -> "Alchemical":
        more = ("switched", "wells_off", "field")
        other = Alchemical(**{k: v for k, v in vars(self).items() if k not in more} | changed)
        for name in more:
            setattr(other, name, getattr(self, name))
        return other

    field = 0.0  #: strength of the reaction field of dipoles

    def coulomb(self) -> float:
        if self.field == 0.0:
            return super().coulomb()
        _, owner, moment, axis = self._sites("dipoles")
        at, _, near = self._apart(self.position[owner], owner, self.position[owner], owner)
        mu = moment * axis
        assert len(at) == len(mu)
        return super().coulomb() - 0.5 * COULOMB * self.field * float(((mu @ mu.T) * near).sum())

    def lennard_jones(self) -> float:
        place, owner, values, _ = self._sites("wells")
        names = numpy.array(self.names)[self.kind[owner]]
        d, _, _ = self._apart(place, owner, place, owner)
        epsilon, sigma = values.T
        e = numpy.sqrt(numpy.outer(epsilon, epsilon))
        s = (sigma[:, None] + sigma) / 2
        for (first, second), (eta, xi) in self.factors.items():
            pair = ((names == first)[:, None] & (names == second)[None]).astype(bool)
            pair |= pair.T
            e[pair] *= xi
            s[pair] *= eta
        of_switched = numpy.isin(names, self.switched)
        soft = of_switched[:, None] | of_switched[None]
        sixth = (d**2).sum(axis=2) ** 3
        sixth = numpy.where(soft, sixth + ALPHA * s**6 * self.wells_off, sixth)
        apart = owner[:, None] != owner[None]
        if self.site_cutoff:
            near = apart & (sixth < self.cutoff**6)
        else:
            c = self.position[owner][:, None] - self.position[owner][None]
            c -= self.box * numpy.rint(c / self.box)
            near = apart & ((c**2).sum(axis=2) < self.cutoff**2)
        for first, second in self.excluded:
            near[numpy.ix_(owner == first, owner == second)] = False
            near[numpy.ix_(owner == second, owner == first)] = False
        x = s**6 / numpy.where(near, sixth, 1.0)
        on = numpy.where(soft, 1.0 - self.wells_off, 1.0)
        return 0.5 * float((on * 4.0 * e * (x * x - x) * near).sum())


def section(state: int, name: str = "all", more: str = "", states=STATES) -> str:
    charges, wells = ([pair[k] for pair in states] for k in (0, 1))
    return (
        f'[alchemy]\nmolecules = ["{name}"]\ncharges = {charges}\nvan_der_waals = {wells}\n'
        f"soft_core_alpha = {ALPHA}\nstate = {state}\ninterval = 1\n{more}"
    )


def system_of(**more) -> Alchemical:
    found = mixture([ARGON], [ALL, DIOXIDE, POLAR, WATER], [12, 3, 16, 16, 16], **more)
    return Alchemical(**vars(found))


def measured(folder, ranks: int = 1) -> dict:
    return json.loads(script_output(folder, SCRIPT, ranks=ranks))


@pytest.mark.parametrize(("state", "site_cutoff"), [(1, False), (6, False), (3, True)], ids=str)
def test_energies_forces_torques_and_virial(tmp_path, state, site_cutoff):
    edge = 2.6 if site_cutoff else 2.2
    system = system_of(edge=edge, site_cutoff=site_cutoff, factors={("all", "CO2"): (1.02, 0.9)})
    write(tmp_path, system, section(state))
    found = measured(tmp_path)
    here = system.at("all", *STATES[state])
    assert found["energy"] == pytest.approx(here.energy(), rel=1e-8)
    force, torque = numpy.array(found["force"]), numpy.array(found["torque"])
    for particle in (12, 13, 14, 2, 20, 37, 55):
        assert force[particle] == pytest.approx(here.force(particle), rel=1e-4, abs=2e-3), particle
        if particle >= 12:
            expected = here.torque(particle)
            assert torque[particle] == pytest.approx(expected, rel=1e-4, abs=2e-3), particle
    assert numpy.diag(found["virial"]) == pytest.approx(here.virial(), rel=1e-5, abs=1e-2)


def one_step(folder, system, of_alchemy, interaction="", more="", ranks=1, molecules=""):
    write(folder, system, more + of_alchemy, run='name = "run"', molecules=molecules)
    path = folder / "mixed.toml"
    path.write_text(path.read_text().replace("[interaction]\n", f"[interaction]\n{interaction}"))
    done = run_sterna(folder, "run", "mixed.toml", "-n", ranks, "--overwrite")
    assert done.returncode == 0, done.stdout + done.stderr
    states = read_states(next(folder.rglob("run.dhdl.xvg"))) if of_alchemy else None
    return states, read_log(next(folder.rglob("run.log.jsonl"))).rows[0]


def run_sterna(folder, *arguments):
    done = subprocess.run(
        sterna_command(*map(str, arguments)), cwd=folder, env=sterna_environment(),
        capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if "does not yield while it waits" in done.stderr:
        pytest.skip("this MPI is too slow with more ranks than cores")
    return done


@pytest.mark.parametrize("path", ["charges", "energies"])
def test_states_and_derivatives_are_sums_over_sites(tmp_path, path):
    """Along the path of energies those of charges are between the ends."""
    system = system_of(factors={("all", "CO2"): (1.02, 0.9)})
    found, log = one_step(tmp_path, system, section(6, more=f'charge_path = "{path}"\n'))

    def energy(charges, wells):
        if path == "charges":
            return system.at("all", charges, wells).energy()
        ends = [system.at("all", end, wells).energy() for end in (0.0, 1.0)]
        return (1.0 - charges) * ends[0] + charges * ends[1]

    here = STATES[6]
    assert log["potential_energy"] == pytest.approx(energy(*here), rel=1e-8)
    expected = [energy(*state) - energy(*here) for state in STATES]
    assert found.differences[0] == pytest.approx(expected, rel=1e-7, abs=1e-6)
    step = 1e-4
    for k, derivative in enumerate(found.derivatives[0]):
        ends = [tuple(x + s * step * (n == k) for n, x in enumerate(here)) for s in (1, -1)]
        slope = (energy(*ends[0]) - energy(*ends[1])) / (2.0 * step)
        assert derivative == pytest.approx(slope, rel=1e-6)


def test_reaction_field(tmp_path):
    """Dipoles within the cutoff, whose field scales with the box; with the correction a dipole also has
    its own field."""
    system = system_of()
    system.field = 1.0 / system.cutoff**3
    model = 'electrostatics = "reaction_field"\n'
    found, log = one_step(tmp_path, system, section(1), model)
    expected = [system.at("all", *state).energy() for state in STATES]
    assert log["potential_energy"] == pytest.approx(expected[1], rel=1e-8)
    assert found.differences[0] + expected[1] == pytest.approx(expected, rel=1e-8)
    # Tails fall linearly with the wells, and those of a dipole in its own field as its square.
    more = model + "tail_correction = true\n"
    with_tails, log_of_tails = one_step(tmp_path, system, section(1), more)
    tails = with_tails.differences[0] - found.differences[0]
    here = log_of_tails["potential_energy"] - log["potential_energy"]
    # The charges, 0.2 and 0.08 nm apart, have a dipole across the point dipole.
    own = -0.5 * COULOMB * system.field * 3 * (0.04**2 + 0.016**2)
    of_wells = tails[5] - tails[2]
    left = numpy.array([(1 - charges) ** 2 for charges, _ in STATES])
    off = numpy.array([wells for _, wells in STATES])
    assert tails == pytest.approx(own * (left - left[1]) + of_wells * off, abs=1e-7)
    # Without the molecules only the tail of the others is left.
    others = [one for one in system.rigid if one.name != "all"]
    kept = system.kind != 1
    rest = Mixture(
        system.atoms, others, system.box, numpy.where(system.kind > 1, system.kind - 1, 0)[kept],
        system.position[kept], system.orientation[kept], system.cutoff,
    )  # fmt: skip
    alone = [one_step(tmp_path, rest, "", text)[1]["potential_energy"] for text in (model, more)]
    assert here + tails[5] == pytest.approx(alone[1] - alone[0], rel=1e-8)


def test_the_first_state_is_the_plain_run(tmp_path):
    system = system_of()
    model = 'electrostatics = "reaction_field"\ntail_correction = true\n'
    _, plain = one_step(tmp_path, system, "", model)
    _, whole = one_step(tmp_path, system, section(0), model)
    assert whole["potential_energy"] == pytest.approx(plain["potential_energy"], rel=1e-10)
    assert whole["pressure"] == pytest.approx(plain["pressure"], rel=1e-8)


def test_ranks_agree(tmp_path):
    system = system_of()
    write(tmp_path, system, section(6))
    alone = measured(tmp_path)
    states, _ = one_step(tmp_path, system, section(6))
    for ranks in (2, 3, 4):
        write(tmp_path, system, section(6))
        found = measured(tmp_path, ranks)
        for name in ("energy", "virial", "force", "torque"):
            numpy.testing.assert_allclose(found[name], alone[name], rtol=1e-10, atol=1e-8)
        others, _ = one_step(tmp_path, system, section(6), ranks=ranks)
        assert numpy.allclose(others.differences, states.differences, rtol=1e-10, atol=1e-8)
        assert numpy.allclose(others.derivatives, states.derivatives, rtol=1e-10)


FAR = {"ewald": 1e-6, "fmm": 2e-4}  # of energies, relative to the energy of charges


@pytest.mark.parametrize("kind", FAR)
def test_charges_at_any_distance(tmp_path, kind):
    """Charges and dipoles by a solver, quadrupoles within the cutoff."""
    system = system_of(charges_far=True)
    accuracy = {"ewald": 1e-8, "fmm": 1e-7}[kind]
    solver = f'[electrostatics]\nkind = "{kind}"\naccuracy = {accuracy}\n'
    found, log = one_step(tmp_path, system, section(1), more=solver)
    energies = {pair: system.at("all", *pair).energy() for pair in set(STATES)}
    close = FAR[kind] * abs(system.coulomb())
    here = energies[STATES[1]]
    assert log["potential_energy"] == pytest.approx(here, abs=close)
    expected = [energies[pair] - here for pair in STATES]
    assert found.differences[0] == pytest.approx(expected, abs=close)
    assert abs(expected[0]) > 100.0 * close
    slope = (system.at("all", 0.401, 0).energy() - system.at("all", 0.399, 0).energy()) / 0.002
    assert found.derivatives[0, 0] == pytest.approx(slope, abs=2.0 * close)
    for ranks in (2, 3):
        others, _ = one_step(tmp_path, system, section(1), more=solver, ranks=ranks)
        assert others.differences[0] == pytest.approx(expected, abs=close)


@pytest.mark.parametrize("kind", FAR)
def test_forces_with_charges_at_any_distance(tmp_path, kind):
    system = system_of(charges_far=True)
    accuracy = {"ewald": 1e-8, "fmm": 1e-7}[kind]
    solver = f'[electrostatics]\nkind = "{kind}"\naccuracy = {accuracy}\n'
    write(tmp_path, system, solver + section(1))
    found = measured(tmp_path)
    here = system.at("all", *STATES[1])
    for name, of in (("force", here.force), ("torque", here.torque)):
        values = numpy.array(found[name])
        scale = numpy.sqrt((values**2).mean())
        for particle in (12, 14, 55):
            assert values[particle] == pytest.approx(of(particle), abs=1e-4 * scale), name


@pytest.mark.parametrize("kind", FAR)
def test_a_path_of_energies_with_charges_at_any_distance(tmp_path, kind):
    """Energies, forces, torques and virial are between those of whole charges and of none."""
    system = system_of(charges_far=True)
    accuracy = {"ewald": 1e-8, "fmm": 1e-7}[kind]
    solver = f'[electrostatics]\nkind = "{kind}"\naccuracy = {accuracy}\n'
    path = section(1, more='charge_path = "energies"\n')
    found, log = one_step(tmp_path, system, path, more=solver)
    ends = [system.at("all", end, 0.0) for end in (0.0, 1.0)]
    close = FAR[kind] * abs(system.coulomb())

    def between(x, of):
        return (1.0 - x) * of(ends[0]) + x * of(ends[1])

    here = STATES[1][0]
    energy = between(here, lambda end: end.energy())
    assert log["potential_energy"] == pytest.approx(energy, abs=close)
    # The path of charges is below by far more than errors of the solver.
    assert abs(system.at("all", here, 0.0).energy() - energy) > 2.0 * close
    slope = ends[1].energy() - ends[0].energy()
    assert found.derivatives[0, 0] == pytest.approx(slope, abs=close)
    for k, (charges, wells) in enumerate(STATES):
        if wells == 0:
            expected = (charges - here) * slope
            assert found.differences[0, k] == pytest.approx(expected, abs=close)
    write(tmp_path, system, solver + path)
    for ranks in (1, 3):
        of_step = measured(tmp_path, ranks)
        for name in ("force", "torque"):
            values = numpy.array(of_step[name])
            scale = numpy.sqrt((values**2).mean())
            for particle in (12, 14, 55) if ranks == 1 else (13,):
                expected = between(here, operator.methodcaller(name, particle))
                assert values[particle] == pytest.approx(expected, abs=1e-4 * scale), name
        virial = between(here, lambda end: numpy.array(end.virial()))
        assert sum(numpy.diag(of_step["virial"])) == pytest.approx(sum(virial), abs=1e-3 * scale)


AMONG = {"water": "water", "bent": "X Y"}  # names of the molecules and of what they are made of


@pytest.mark.parametrize("name", AMONG)
def test_among_ions_and_flexible_molecules(tmp_path, name):
    """Rigid molecules of which some are named as [[molecule]]s, and molecules of atoms around which
    there are rigid ones with quadrupoles."""
    found, molecules = electrolyte()
    system = Alchemical(**vars(found))
    solver = '[electrostatics]\nkind = "ewald"\naccuracy = 1e-8\n'
    write(tmp_path, system, solver + section(6, name), molecules=molecules)
    for ranks in (1, 3):
        found = measured(tmp_path, ranks)
        here = system.at(AMONG[name], *STATES[6])
        close = 1e-6 * abs(system.coulomb())
        assert found["energy"] == pytest.approx(here.energy(), abs=close)
        for what, of in (("force", here.force), ("torque", here.torque)):
            values = numpy.array(found[what])
            scale = numpy.sqrt((values**2).mean())
            particles = (11, 30, 36, 45, 60) if what == "force" else (11, 30, 36)
            for particle in particles if ranks == 1 else ():
                assert values[particle] == pytest.approx(of(particle), abs=1e-4 * scale), what
    virial = here.virial()
    assert sum(numpy.diag(found["virial"])) == pytest.approx(sum(virial), abs=1e-4 * scale)
    states, log = one_step(tmp_path, system, section(6, name), more=solver, molecules=molecules)
    if name == "bent":
        # Charges of atoms with quadrupoles are no van der Waals interactions.
        left_out = system.at(AMONG[name], 1.0, STATES[6][1]).quadrupoles()
        assert abs(here.quadrupoles() - left_out) > 0.01
        charges = log["alchemy_charges_energy"]
        assert charges == pytest.approx(here.quadrupoles() - left_out, rel=1e-8)
    expected = [system.at(AMONG[name], *state).energy() - here.energy() for state in STATES]
    assert states.differences[0] == pytest.approx(expected, abs=close)
    step = 1e-3
    for k, derivative in enumerate(states.derivatives[0]):
        ends = [[x + s * step * (n == k) for n, x in enumerate(STATES[6])] for s in (1, -1)]
        above, below = (system.at(AMONG[name], *end).energy() for end in ends)
        assert derivative == pytest.approx((above - below) / (2.0 * step), rel=1e-4)


#: Atoms that become others: their type and charge at lambda 1, and the type whose wells they have then.
BECOMES = {"X": ("Na", 0.1), "Y": (None, -0.2)}


class Mutating:
    """The electrolyte whose atoms X become like Na, and whose atoms Y lose their wells."""

    def __init__(self) -> None:
        found, self.molecules = electrolyte()
        self.whole = Alchemical(**vars(found))

    def at(self, charges: float, wells: float) -> "MutatingState":
        atoms = [
            replace(one, charge=one.charge + charges * (BECOMES[one.name][1] - one.charge))
            if one.name in BECOMES else one
            for one in self.whole.atoms
        ]  # fmt: skip
        return MutatingState(self.whole, atoms, wells)


class MutatingState:
    def __init__(self, whole: Alchemical, atoms: list, wells: float) -> None:
        own = {k: v for k, v in vars(whole).items() if k not in ("switched", "wells_off", "field")}
        self.wells = wells
        # Y, whose wells vanish, is soft beside all; X has wells in both states.
        self.soft_y = Alchemical(**own | {"atoms": atoms}).at("Y", 0.0, wells)
        sodium = next(one for one in atoms if one.name == "Na")
        as_b = [
            replace(one, epsilon=sodium.epsilon, sigma=sodium.sigma) if one.name == "X"
            else replace(one, epsilon=0.0) if one.name == "Y" else one
            for one in atoms
        ]  # fmt: skip
        # Mixing factors are those of the type that X becomes.
        self.of_b = Alchemical(**own | {"atoms": as_b, "factors": {}}).at("none", 0.0, 0.0)
        self.hard_a = Alchemical(**own | {"atoms": atoms}).at("none", 0.0, 0.0)
        no_y = [replace(one, epsilon=0.0) if one.name == "Y" else one for one in atoms]
        self.without_y = Alchemical(**own | {"atoms": no_y}).at("none", 0.0, 0.0)

    def moved(self, particle: int, step: numpy.ndarray) -> "MutatingState":
        other = MutatingState.__new__(MutatingState)
        other.wells = self.wells
        for name in ("of_b", "soft_y", "without_y", "hard_a"):
            of = getattr(self, name)
            position = of.position.copy()
            position[particle] += step
            setattr(other, name, of.copy(position=position))
        return other

    def energy(self) -> float:
        """Pairs of Y are soft, with 1 - lambda; all others go in proportion from A to B."""
        of_y = self.soft_y.lennard_jones() - self.without_y.lennard_jones()
        others = (1.0 - self.wells) * self.without_y.lennard_jones()
        others += self.wells * self.of_b.lennard_jones()
        rest = self.hard_a.coulomb() + self.hard_a.quadrupoles() + self.hard_a.bonded()
        return of_y + others + rest


def test_atoms_become_others_among_rigid_molecules(tmp_path):
    """Wells, charges and charges with quadrupoles of both states, and forces on all."""
    system = Mutating()
    mutations = "".join(
        f'[[mutation]]\ntype = "{name}"\ncharge = {charge}\n'
        + (f'becomes = "{other}"\n' if other else "")
        for name, (other, charge) in BECOMES.items()
    )
    more = '[electrostatics]\nkind = "ewald"\naccuracy = 1e-8\n'
    of_alchemy = section(6, "bent", 'kind = "mutation"\n' + mutations)
    here = system.at(*STATES[6])
    close = 1e-6 * abs(here.hard_a.coulomb())
    for ranks in (1, 3):
        states, log = one_step(
            tmp_path, system.whole, of_alchemy, more=more, molecules=system.molecules, ranks=ranks
        )
        assert log["potential_energy"] == pytest.approx(here.energy(), abs=close)
        expected = [system.at(*state).energy() - here.energy() for state in STATES]
        assert states.differences[0] == pytest.approx(expected, abs=close)
        step = 1e-3
        for k, derivative in enumerate(states.derivatives[0]):
            ends = [[x + s * step * (n == k) for n, x in enumerate(STATES[6])] for s in (1, -1)]
            above, below = (system.at(*end).energy() for end in ends)
            assert derivative == pytest.approx((above - below) / (2.0 * step), rel=1e-4)
    write(tmp_path, system.whole, more + of_alchemy, molecules=system.molecules)
    found = measured(tmp_path)
    force = numpy.array(found["force"])
    scale = numpy.sqrt((force**2).mean())
    for particle in (3, 12, 30, 44, 45):
        slope = numpy.zeros(3)
        for axis in range(3):
            step = 1e-5 * numpy.eye(3)[axis]
            ends = [here.moved(particle, sign * step).energy() for sign in (1, -1)]
            slope[axis] = -(ends[0] - ends[1]) / 2e-5
        assert force[particle] == pytest.approx(slope, abs=1e-4 * scale), particle


HALF, CHARGE = 0.25, 3.0  # of the two sites of a molecule
PAIR = """\
units = "reduced"
[run]
name = "pair"
steps = {steps}
timestep = 0.01
seed = {seed}
precision = "double"
[start]
kind = "file"
file = "pair.extxyz"
temperature = 1.0
{components}
[interaction]
cutoff = 2.5
truncation = "truncated"
[thermostat]
kind = "langevin"
temperature = 1.0
time_constant = 1.0
[alchemy]
molecules = ["a"]
charges = [0, 0.5, 1, 1, 1]
van_der_waals = [0, 0, 0, 0.4, 1]
state = {state}
interval = 25
[output]
directory = "output"
"""


def pair_run(folder, state, steps=60000, seed=11):
    folder.mkdir(exist_ok=True)
    (folder / "pair.extxyz").write_text(
        '2\nLattice="5 0 0 0 5 0 0 0 5" Properties=species:S:1:pos:R:3\na 1 1 1\nb 2.5 2.5 2.5\n'
    )
    text = ""
    for name in ("a", "b"):
        text += f'[[component]]\nname = "{name}"\n'
        for sign in (1, -1):
            place = f"position = [0, 0, {sign * HALF}]\n"
            text += (
                f'[[component.site]]\nkind = "lennard_jones"\n{place}epsilon = 1.0\nsigma = 1.0\n'
                f'mass = 0.5\n[[component.site]]\nkind = "charge"\n{place}charge = {sign * CHARGE}\n'
            )
    run = PAIR.format(components=text, steps=steps, seed=seed + state, state=state)
    (folder / "pair.toml").write_text(run)
    return folder


def second_virial_coefficient() -> float:
    """Of two such molecules at k T = 1, by quadrature over their distance and directions."""
    cosine, of_cosine = numpy.polynomial.legendre.leggauss(24)
    sine = numpy.sqrt(1.0 - cosine**2)
    turn = (numpy.arange(24) + 0.5) * numpy.pi / 24
    first = numpy.stack([sine, 0 * sine, cosine])[:, :, None, None]
    second = numpy.stack([
        sine[:, None] * numpy.cos(turn), sine[:, None] * numpy.sin(turn),
        cosine[:, None] + 0 * turn,
    ])[:, None]  # fmt: skip
    x, w = numpy.polynomial.legendre.leggauss(40)
    total = 0.0
    for low, high in ((0.0, 0.7), (0.7, 1.1), (1.1, 1.6), (1.6, 2.5)):
        for r, of_r in zip(
            (high - low) / 2 * x + (high + low) / 2, (high - low) / 2 * w, strict=True
        ):
            energy = 0.0
            for s in (1, -1):
                for t in (1, -1):
                    d = HALF * (t * second - s * first)
                    squared = d[0] ** 2 + d[1] ** 2 + (d[2] + r) ** 2
                    sixth = 1.0 / squared**3
                    energy += 4.0 * (sixth**2 - sixth) + s * t * CHARGE**2 / numpy.sqrt(squared)
            excess = numpy.exp(-energy) - 1.0
            mean = numpy.einsum("ijk,i,j->", excess, of_cosine / 2, of_cosine / 2) / len(turn)
            total += of_r * 4.0 * numpy.pi * r**2 * mean
    return -0.5 * total


def test_two_rotors_have_the_free_energy_of_the_second_virial_coefficient(tmp_path):
    """In a cube V decoupling one of them costs k T ln(1 - 2 B2 / V), of which a sixth is of charges."""
    pytest.importorskip("pymbar")
    for state in range(5):
        folder = pair_run(tmp_path / f"{state}", state)
        done = run_sterna(folder, "run", "pair.toml", "-n", 1)
        assert done.returncode == 0, done.stdout + done.stderr
    table = tmp_path / "table.txt"
    done = run_sterna(tmp_path, "free-energy", ".", "-o", table)
    assert done.returncode == 0, done.stdout + done.stderr
    last = [float(x) for x in table.read_text().splitlines()[-1].split()]
    found, error = last[3], last[4]
    expected = numpy.log(1.0 - 2.0 * second_virial_coefficient() / 125.0)
    assert 0.0 < error < 0.03
    assert found == pytest.approx(expected, abs=5.5 * error)


def test_a_resumed_run_has_the_same_rows(tmp_path):
    texts = []
    for name, lengths in (("whole", [2000]), ("parts", [1100, 2000])):
        for steps in lengths:
            folder = pair_run(tmp_path / name, 1, steps)
            path = folder / "pair.toml"
            path.write_text(path.read_text() + "checkpoint_interval = 100\n")
            again = ["--resume"] if steps != lengths[0] else []
            done = run_sterna(folder, "run", "pair.toml", "-n", 1, *again)
            assert done.returncode == 0, done.stdout + done.stderr
        texts.append((folder / "output" / "pair.dhdl.xvg").read_text())
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) > 80


def test_replicas_exchange_states_of_rotors(tmp_path):
    folder = pair_run(tmp_path / "pair", 0, 400)
    path = folder / "pair.toml"
    path.write_text(path.read_text().replace("state = 0\n", "") + "[replicas]\ninterval = 25\n")
    done = run_sterna(folder, "run", "pair.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = done.stdout[done.stdout.index("files of this run:") :].split()
    files = [one for one in listed if one.endswith(".dhdl.xvg")]
    assert len(files) == len(set(files)) == 5, done.stdout
    rows = [read_states(one) for one in sorted((folder / "output").glob("*.dhdl.xvg"))]
    assert [one.state for one in rows] == [0, 1, 2, 3, 4]
    for state, one in enumerate(rows):
        assert not one.differences[:, state].any()


@pytest.mark.parametrize("kind", FAR)
def test_charges_of_a_solver_follow_the_state_of_a_replica(tmp_path, kind):
    """Energies are squares in lambda, of which three states say the derivative in each of them."""
    folder = pair_run(tmp_path / "pair", 0, 200)
    path = folder / "pair.toml"
    text = path.read_text().replace("state = 0\n", "")
    text += f'[electrostatics]\nkind = "{kind}"\naccuracy = 1e-6\n[replicas]\ninterval = 25\n'
    path.write_text(text)
    done = run_sterna(folder, "run", "pair.toml", "-n", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    for state, on in enumerate((1.0, 0.5, 0.0)):
        rows = read_states(folder / "output" / f"pair.state-{state}.dhdl.xvg")
        whole, half, off = rows.differences[:, :3].T
        of_own = 2.0 * (whole - off) - 4.0 * (half - off)
        with_others = whole - off - of_own
        slope = -with_others - 2.0 * on * of_own
        size = abs(with_others) + abs(of_own)
        assert len(slope) > 5
        assert (abs(rows.derivatives[:, 0] - slope) < 1e-4 * size).all()


def test_the_example_runs(tmp_path):
    text = (ROOT / "examples" / "alchemy" / "carbon_dioxide.toml").read_text()
    for old, new in (("steps = 50000", "steps = 100"), ("interval = 500\n", "interval = 50\n")):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "run.toml").write_text(text)
    done = run_sterna(tmp_path, "run", "run.toml", "-n", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [read_states(one) for one in sorted((tmp_path / "output").glob("*.dhdl.xvg"))]
    # The molecules have quadrupoles, and wells at lambda 1 are gone.
    assert len(rows) == 6
    assert rows[0].derivatives[:, 0].all()
    assert rows[0].derivatives[:, 1].all()


BROKEN = [
    ('molecules = ["a"]', 'molecules = ["aa"]', 'did you mean "a"?'),
    ('molecules = ["a"]', 'molecules = ["a"]\nkind = "mutation"', "for molecules of atoms"),
    ("[0, 0, 0, 0.4, 1]", "[0, 0, 0, 0.4]", "one of each for each state"),
    ("charges = [0, 0.5, 1, 1, 1]", "charges = [0, 0.5, 1, 1, 0]", "opposite charges meet"),
    ("cutoff = 2.5", "cutoff = 2.6", "at least two cutoffs wide"),
    ("cutoff = 2.5", 'cutoff = 2.4\nmolecular_cutoff = "site"', "four times the reach of sites"),
]  # fmt: skip


def test_a_charge_that_changes_is_told(tmp_path):
    folder = pair_run(tmp_path / "pair", 0, 0)
    path = folder / "pair.toml"
    text = path.read_text()
    path.write_text(text + '[electrostatics]\nkind = "ewald"\n')
    assert "the charge of the system" not in run_sterna(folder, "check", "pair.toml").stderr
    path.write_text(path.read_text().replace(f"charge = -{CHARGE}", f"charge = {CHARGE}"))
    done = run_sterna(folder, "check", "pair.toml")
    assert f'changes by {2 * CHARGE:g} with each molecule of "a"' in done.stdout + done.stderr


def of_ions(counts: dict[str, tuple[int, float]]) -> str:
    """An input of rigid ions as [[molecule]]s, which are all switched off: counts and charges."""
    text, names = "", ", ".join(f'"{name}"' for name in counts)
    for name, (count, charge) in counts.items():
        text += (
            f'[[component]]\nname = "{name}"\n[[component.site]]\nkind = "lennard_jones"\n'
            "position = [0, 0, 0]\nepsilon = 1.0\nsigma = 1.0\nmass = 1.0\n"
            f'[[component.site]]\nkind = "charge"\nposition = [0, 0, 0]\ncharge = {charge}\n'
        )
        if count > 0:
            text += f'[[molecule]]\nname = "{name}s"\ncount = {count}\n'
            text += f'atom = [{{ type = "{name}" }}]\n'
    text = PAIR.format(components=text, steps=0, seed=1, state=0)
    text = text.replace('molecules = ["a"]', f"molecules = [{names}]")
    return text + '[electrostatics]\nkind = "ewald"\n'


def check_of_ions(folder, counts) -> str:
    rows = [
        f"{name} {k // 4 + 0.5} {k % 4 + 0.5} 1"
        for k, name in enumerate(n for n, (count, _) in counts.items() for _ in range(count or 1))
    ]
    head = f'{len(rows)}\nLattice="6 0 0 0 6 0 0 0 6" Properties=species:S:1:pos:R:3\n'
    (folder / "pair.extxyz").write_text(head + "\n".join(rows) + "\n")
    (folder / "ions.toml").write_text(of_ions(counts))
    done = run_sterna(folder, "check", "ions.toml")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("sodium", "magnesium", "chloride", "told"),
    [
        (2, 0, 1, "changes by 1 from state to state. A"),
        (1, 0, 1, ""),
        (0, 1, 2, ""),
        (0, 2, 2, "changes by 2 from state to state. A"),
    ],
)
def test_a_change_of_charge_is_told_by_counts(tmp_path, sodium, magnesium, chloride, told):
    cation = ("Na", (sodium, 1.0)) if sodium else ("Mg", (magnesium, 2.0))
    said = check_of_ions(tmp_path, dict([cation, ("Cl", (chloride, -1.0))]))
    assert told in said
    assert ("the charge of the system" in said) == bool(told)


def test_without_counts_the_charges_of_kinds_are_told(tmp_path):
    said = check_of_ions(tmp_path, {"Na": (0, 1.0), "Cl": (0, -1.0)})
    words = '1 with each molecule of "Na" and -1 with each molecule of "Cl"'
    assert f"changes by {words} from state to state, unless these cancel. A" in said


WHOLE = {
    "insertion": '[insertion]\ninterval = 1\ncomponents = ["b"]\n',
    "derivatives": "[derivatives]\ninterval = 1\n",
    "dielectric": "[dielectric]\ninterval = 1\n",
}


@pytest.mark.parametrize("name", WHOLE)
def test_observers_that_see_whole_molecules_are_refused(tmp_path, name):
    """In the first state all molecules are whole, and in the second one charges are half."""
    for state in (0, 1, 3):
        folder = pair_run(tmp_path / f"{state}", state, 0)
        path = folder / "pair.toml"
        path.write_text(path.read_text() + WHOLE[name])
        done = run_sterna(folder, "check", "pair.toml")
        said = done.stdout + done.stderr
        assert ("with whole alchemical molecules" in said) == (state > 0), said
        assert (done.returncode != 0) == (state > 0), said
    text = path.read_text()
    place = next(k for k, line in enumerate(text.splitlines(), 1) if line == f"[{name}]") + 1
    assert f"pair.toml:{place}:" in said
    assert "expected a run in a state of [alchemy] in which" in said
    # Replicas visit all states, and those of another kind none.
    text = text.replace("state = 3\n", "") + "[replicas]\ninterval = 10\n"
    path.write_text(text)
    assert (
        "a state of [replicas] switches them off" in run_sterna(folder, "check", "pair.toml").stdout
    )
    path.write_text(text + "[[state]]\ntemperature = 1.0\n[[state]]\ntemperature = 1.1\n")
    assert "with whole" not in run_sterna(folder, "check", "pair.toml").stdout


def test_wells_do_not_matter_to_dipole_moments(tmp_path):
    folder = pair_run(tmp_path / "pair", 0, 0)
    path = folder / "pair.toml"
    text = path.read_text().replace("charges = [0, 0.5, 1, 1, 1]", "charges = [0, 0, 0, 0, 0]")
    text = text.replace("van_der_waals = [0, 0, 0, 0.4, 1]", "van_der_waals = [0, 0, 0, 0, 0.4]")
    text = text.replace("state = 0", "state = 4")
    for more, told in ((WHOLE["dielectric"], False), (WHOLE["insertion"], True)):
        path.write_text(text + more)
        said = run_sterna(folder, "check", "pair.toml").stdout
        assert ("with whole" in said) == told, said


def test_atoms_among_rigid_molecules_need_the_reach_of_sites(tmp_path):
    """Sites of the molecules reach an atom from farther than the cutoff."""
    found, molecules = electrolyte(quadrupolar=False)
    for wide, cutoff, told in ((False, 1.05, False), (True, 1.05, True), (True, 0.8, False)):
        system = found.copy(site_cutoff=wide, cutoff=cutoff)
        solver = '[electrostatics]\nkind = "ewald"\n'
        write(tmp_path, system, solver + section(6, "bent"), 'name = "run"', molecules)
        done = run_sterna(tmp_path, "check", "mixed.toml")
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == told, said
        assert ("four times the reach of sites" in said) == told


def test_a_shared_type_that_is_rigid_is_a_component(tmp_path):
    found, molecules = electrolyte()
    molecules += '[[molecule]]\nname = "more"\ncount = 1\natom = [{ type = "water" }]\n'
    system = Alchemical(**vars(found))
    write(tmp_path, system, '[electrostatics]\nkind = "ewald"\n' + section(6, "water"),
          'name = "run"', molecules)  # fmt: skip
    done = run_sterna(tmp_path, "check", "mixed.toml")
    assert "copy the [[component]] with its [[pair]]s" in done.stdout + done.stderr


@pytest.mark.parametrize(("old", "new", "message"), BROKEN)
def test_mistakes_are_told(old, new, message, tmp_path):
    folder = pair_run(tmp_path / "pair", 0, 0)
    text = (folder / "pair.toml").read_text()
    assert old in text
    (folder / "pair.toml").write_text(text.replace(old, new))
    done = run_sterna(folder, "run", "pair.toml", "-n", 1)
    assert done.returncode != 0
    assert message in done.stderr
    assert "pair.toml:" in done.stderr
