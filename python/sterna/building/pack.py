"""`sterna new pack`: molecules of several inputs in one box, without overlaps.

Centers are sites of a lattice that fills the box, dealt to the molecules at random. Each molecule
takes the conformation and the rotation, of many random ones, in which it keeps the largest distance
from its neighbors; those that are too near to others try again.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy
import typer

from sterna.building.inputs import Start, files_of, read_start
from sterna.building.replicate import molecule_rows, whole_positions
from sterna.errors import SternaError
from sterna.frames.atoms import matrices
from sterna.frames.configuration import fill_block, random_orientations
from sterna.frames.start_file import write_start
from sterna.support.edges_option import edges_of
from sterna.support.file_options import Output, Overwrite
from sterna.support.files import replace_text, require_not_read
from sterna.support.toml_text import toml_text

_TRIALS = 100  # number of trials for a molecule in a sweep
_SWEEPS = 20
_IDLE_SWEEPS = 3  #: sweeps without success after which packing ends
_DENSEST = 0.74  #: part of space that the densest packing of equal spheres fills
_MINIMIZERS = ("minimize", "lbfgs")  # integrators that have no motion
#: Sections that a minimization has no use for.
_OF_MOTION = ("limit", "drift_control", "alignment", "multiple_time_steps")


@dataclass
class Kind:
    """Molecules of one input, in nm or reduced."""

    start: Start
    count: int
    names: list[str]  #: names of the particles of one molecule
    particles: numpy.ndarray  #: (conformations, particles, 3), around their center
    sites: numpy.ndarray  #: sites that keep the distance, (conformations, sites, 3)


def kind_of(text: str) -> Kind:
    """Reads INPUT.toml=COUNT. Raises SternaError."""
    path, _, count = text.rpartition("=")
    if not path or not count.isdigit() or int(count) == 0:
        raise SternaError(f"{text}: expected INPUT.TOML=COUNT, as in butane.toml=100", 2)
    start = read_start(Path(path))
    if "type" in start.sections and "component" in start.sections:
        raise SternaError(
            f"{path}: has [[type]]s and [[component]]s; expected an input with one kind of molecule",
            2,
        )
    rows = molecule_rows(start)
    names = numpy.array(start.trajectory.names)[start.trajectory.species]
    if len(rows) != 1 or len({tuple(names[r]) for r in rows[0][1]}) != 1:
        raise SternaError(f"{path}: expected an input with one kind of molecule", 2)
    (_, molecules), position = rows[0], whole_positions(start)
    particles = position[molecules]
    center = particles.mean(axis=1, keepdims=True)
    sites = particles - center
    if "components" in start.trajectory.description:
        atoms = start.trajectory.atoms()
        sites = atoms.offset[atoms.particle == 0][None]
    return Kind(start, int(count), names[molecules[0]].tolist(), particles - center, sites)


@dataclass
class Packed:
    """The places of the molecules; those of a kind follow each other."""

    centers: numpy.ndarray  #: (molecules, 3)
    turns: numpy.ndarray  #: (molecules, 4), quaternions
    conformations: numpy.ndarray  #: (molecules,)
    nearest: float  #: the smallest distance between sites of different molecules


def pack(kinds: list[Kind], box: numpy.ndarray, distance: float, seed: int) -> Packed:
    """Places all molecules in a box of these edges. `nearest` may be less than `distance`."""
    random = numpy.random.default_rng(seed)
    kind = numpy.repeat(numpy.arange(len(kinds)), [k.count for k in kinds])
    total = len(kind)
    centers = fill_block(total, numpy.zeros(3), box)[random.permutation(total)]
    sizes = numpy.array([k.sites.shape[1] for k in kinds])[kind]
    first = numpy.concatenate([[0], numpy.cumsum(sizes)])
    owner = numpy.repeat(numpy.arange(total), sizes)
    sites = numpy.full((first[-1], 3), numpy.nan)
    radius = numpy.array([numpy.linalg.norm(k.sites, axis=2).max() for k in kinds])
    turns, conformations = numpy.zeros((total, 4)), numpy.zeros(total, int)
    gap = numpy.full(total, -1.0)

    def place(m: int) -> None:
        k = kinds[kind[m]]
        chosen = random.integers(len(k.sites), size=_TRIALS)
        quaternions = random_orientations(_TRIALS, int(random.integers(2**31)))
        trials = numpy.einsum("tij,tsj->tsi", matrices(quaternions), k.sites[chosen])
        away = sites - centers[m]
        away -= box * numpy.rint(away / box)
        near = away[
            (owner != m)
            & ((away**2).sum(axis=1) < (radius[kind[m]] + distance) ** 2)  # false where nothing is
        ]
        if len(near) == 0:
            best, gap[m] = 0, numpy.inf
        else:
            d = trials[:, :, None] - near
            d -= box * numpy.rint(d / box)
            squares = (d**2).sum(axis=3).reshape(_TRIALS, -1).min(axis=1)
            best = int(numpy.argmax(squares))
            gap[m] = numpy.sqrt(squares[best])
        turns[m], conformations[m] = quaternions[best], chosen[best]
        sites[first[m] : first[m + 1]] = centers[m] + trials[best]

    # The large ones first, while there is space.
    waiting = numpy.argsort(-radius[kind], kind="stable")
    fewest, idle = len(waiting), 0
    for _ in range(_SWEEPS):
        for m in waiting:
            place(m)
        gaps = _gaps(sites, owner, box, distance)
        waiting = numpy.flatnonzero(gaps < distance)
        idle = 0 if len(waiting) < fewest else idle + 1
        fewest = min(fewest, len(waiting))
        if len(waiting) == 0 or idle == _IDLE_SWEEPS:
            break
    return Packed(centers, turns, conformations, float(gaps.min()))


def filled(kinds: list[Kind], box: numpy.ndarray, distance: float) -> float:
    """The part of a box that molecules fill whose sites are spheres of this diameter."""
    random = numpy.random.default_rng(1)
    total = 0.0
    for kind in kinds:
        sites = kind.sites[0]
        low, high = sites.min(axis=0) - distance / 2, sites.max(axis=0) + distance / 2
        points = random.uniform(low, high, (4000, 3))
        squares = numpy.full(len(points), numpy.inf)
        for site in sites:
            numpy.minimum(squares, ((points - site) ** 2).sum(axis=1), out=squares)
        part = float((squares < distance**2 / 4).mean())
        total += kind.count * part * float((high - low).prod())
    return total / float(box.prod())


def _gaps(
    sites: numpy.ndarray, owner: numpy.ndarray, box: numpy.ndarray, distance: float
) -> numpy.ndarray:
    """Returns the distance of each molecule's sites from those of others; at most `distance`."""
    gaps = numpy.full(owner[-1] + 1, distance)
    cells = numpy.maximum(1, numpy.floor(box / distance)).astype(int)
    index = numpy.floor((sites / box % 1.0) * cells).astype(int) % cells
    flat = numpy.ravel_multi_index(index.T, cells)
    order = numpy.argsort(flat, kind="stable")
    begin = numpy.searchsorted(flat[order], numpy.arange(cells.prod() + 1))
    for shift in numpy.ndindex(3, 3, 3):
        other = (index + numpy.array(shift) - 1) % cells
        target = numpy.ravel_multi_index(other.T, cells)
        counts = begin[target + 1] - begin[target]
        for n in range(int(counts.max(initial=0))):
            rows = numpy.flatnonzero(counts > n)
            partners = order[begin[target[rows]] + n]
            d = sites[rows] - sites[partners]
            d -= box * numpy.rint(d / box)
            r = numpy.sqrt((d**2).sum(axis=1))
            apart = owner[rows] != owner[partners]
            numpy.minimum.at(gaps, owner[rows][apart], r[apart])
    return gaps


def merged(kinds: list[Kind]) -> dict[str, Any]:
    """The sections of the first input with the types and molecules of all. Raises SternaError."""
    first = kinds[0].start
    for kind in kinds[1:]:
        if kind.start.units != first.units:
            raise SternaError(f"{first.path} and {kind.start.path} have different units", 2)
        if ("component" in kind.start.sections) != ("component" in first.sections):
            raise SternaError(
                f"one input has [[component]]s, the other does not: {first.path}, {kind.start.path}",
                2,
            )
    sections = {
        name: value
        for name, value in first.sections.items()
        if name not in ("run", "start", "output", "type", "component", "molecule", "pair")
    }
    sections["run"] = {k: v for k, v in first.section("run").items() if k != "name"}
    sections["output"] = dict(first.section("output"))
    for section in ("type", "component", "pair"):
        tables: list[dict[str, Any]] = []
        for kind in kinds:
            for table in kind.start.sections.get(section, []):
                same = [t for t in tables if section != "pair" and t["name"] == table["name"]]
                if same and same[0] != table:
                    raise SternaError(
                        f"[[{section}]] {table['name']} is not the same in all inputs: "
                        f"{kind.start.path}",
                        2,
                    )
                if table not in tables:
                    tables.append(table)
        if tables:
            sections[section] = tables
    if any("molecule" in kind.start.sections for kind in kinds):
        sections["molecule"] = [_molecule(kind) for kind in kinds]
    sections["stage"] = _stages(sections)
    if not sections["stage"]:
        del sections["stage"]
    return sections


def _stages(sections: dict[str, Any]) -> list[dict[str, Any]]:
    """A filled box is relaxed before it runs, without sections that act on the motion.

    Stages of the input follow, if it has some. An input that minimizes at first needs no further
    one.
    """
    given = sections.get("stage", [])
    run = dict(given[0].get("run", {})) if given else {}
    if (sections["run"] | run).get("integrator") in _MINIMIZERS:
        return given
    names = {stage["name"] for stage in given}
    name = next(name for name in ("minimize", "relax", "relax_box") if name not in names)
    relax: dict[str, Any] = {"name": name}
    relax["run"] = run | {"integrator": "minimize", "steps": 500}
    relax |= {name: [] for name in _OF_MOTION if name in sections}
    return [relax, *(given or [{"name": "produce"}])]


def _molecule(kind: Kind) -> dict[str, Any]:
    given = kind.start.sections.get("molecule")
    if given:
        # Numbers of residues, and chains of some molecules, are kept from the given molecules.
        kept = {
            key: value
            for key, value in given[0].items()
            if key != "residue_numbers" and (key != "chains" or ":" not in value)
        }
        return kept | {"count": kind.count}
    (name,) = kind.names
    return {"name": name, "count": kind.count, "atom": [{"type": name}]}


def pack_command(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="INPUT.TOML=COUNT...", help="Molecules of the input, and how many."),
    ],
    box: Annotated[
        str,
        typer.Option(
            metavar="A,B,C",
            help="Edges in nm, or reduced; large enough for the molecules; one for a cube.",
        ),
    ],
    output: Output,
    distance: Annotated[
        float | None,
        typer.Option(
            min=1e-3,
            help="That atoms of different molecules keep, in nm or reduced; default: 0.2 nm or 0.8.",
        ),
    ] = None,
    temperature: Annotated[
        str | None,
        typer.Option(
            help="At which velocities are drawn: a number, or a text such as 300 K; default: as "
            "in the first input, else 300 K, or 1 in reduced units."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of places and rotations.")] = 1,
    overwrite: Overwrite = False,
) -> None:
    """Fill a box with molecules of one or more inputs, without overlaps.

    Molecules have the conformations of their input's start or last frame. Settings are those of the
    first input. The new one relaxes the box, and then runs, or has the stages of the first input.
    """
    start = require_writable(output, overwrite)
    kinds = [kind_of(text) for text in sources]
    require_not_read(
        (output, start), (path for kind in kinds for path in files_of(kind.start.path))
    )
    edges = numpy.array(edges_of(box))
    head = f"# {', '.join(sources)}, written by `sterna new pack`.\n"
    write_packed(
        kinds, edges, output, distance=distance, temperature=temperature, seed=seed, head=head
    )


def require_writable(output: Path, overwrite: bool) -> Path:
    """Returns the name of the start beside an input. Raises SternaError where one of them is there
    already and may not be replaced.
    """
    if output.suffix != ".toml":
        raise SternaError(f"the output is {output}; expected a name that ends in .toml", 2)
    start = output.with_suffix(".extxyz")
    for path in (output, start):
        if path.exists() and not overwrite:
            raise SternaError(f"{path} exists; --overwrite replaces it", 2)
    return start


def write_packed(
    kinds: list[Kind],
    edges: numpy.ndarray,
    output: Path,
    *,
    distance: float | None,
    temperature: str | None,
    seed: int,
    head: str,
    stages: list[dict[str, Any]] | None = None,
) -> None:
    """Writes an input and the start of all molecules in one box. `stages`: in place of a
    minimization and the run of the first input. Raises SternaError where the box is too small.
    """
    start = output.with_suffix(".extxyz")
    sections = merged(kinds)
    units = kinds[0].start.units
    warmth = _temperature_of(temperature, kinds[0].start)
    distance = distance or (0.8 if units == "reduced" else 0.2)
    part = filled(kinds, edges, distance)
    if part > _DENSEST:
        raise SternaError(
            f"the box is too small: molecules whose atoms keep {distance:g} from those of others fill "
            f"{100 * part:.0f} % of it; give a larger --box, fewer molecules or a smaller --distance",
            2,
        )
    made = pack(kinds, edges, distance, seed)
    if made.nearest < distance:
        raise SternaError(
            f"the box is too small: the nearest atoms of different molecules would be "
            f"{made.nearest:.3g} apart, less than {distance:g}; give a larger --box or a smaller "
            "--distance",
            2,
        )
    turned = matrices(made.turns)
    names, positions, begin = [], [], 0
    for kind in kinds:
        rows = slice(begin, begin + kind.count)
        shapes = kind.particles[made.conformations[rows] % len(kind.particles)]
        moved = numpy.einsum("mij,mpj->mpi", turned[rows], shapes) + made.centers[rows][:, None]
        positions.append(moved.reshape(-1, 3))
        names += kind.names * kind.count
        begin += kind.count
    particles = {"names": numpy.array(names), "position": numpy.concatenate(positions)}
    if "component" in sections:
        particles["orientation"] = made.turns
    sections["start"] = {"kind": "file", "file": start.name, "temperature": warmth}
    if stages is not None:
        sections["stage"] = stages
    elif "stage" in sections:
        sections["stage"] = sections.pop("stage")  # stages come at the end
    write_start(start, units, numpy.diag(edges), **particles)
    replace_text(output, head + toml_text(sections))
    print(f"wrote {output}\nwrote {start}: {sum(k.count for k in kinds)} molecules")


def _temperature_of(asked: str | None, start: Start) -> str | float:
    """Returns the temperature that was given, or else that of the input's start. Raises
    SternaError.
    """
    is_reduced = start.units == "reduced"
    if asked is None:
        return start.section("start").get("temperature", 1.0 if is_reduced else "300 K")
    if not is_reduced:
        return asked
    try:
        return float(asked)
    except ValueError:
        raise SternaError(
            f"--temperature {asked}: expected a number, as {start.path} is in reduced units", 2
        ) from None
