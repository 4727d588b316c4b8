"""`sterna virial` and `sterna vle`: the properties of a fluid by its model."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from sterna.errors import SternaError
from sterna.launching.models import models
from sterna.launching.processes import ended_by_signals


def add_to(app: typer.Typer) -> None:
    """Adds the commands."""
    app.command(name="virial")(virial)
    app.command(name="vle")(vle)


Temperatures = Annotated[
    str,
    typer.Option(
        "--temperature",
        "-t",
        metavar="T,T,...",
        help="Temperatures in K (of lennard_jones reduced): 220,240 or FROM:TO:STEP.",
    ),
]
ReferenceOption = Annotated[
    str | None,
    typer.Option(
        "--reference",
        metavar="WHAT",
        help="What the results stand beside: FILE.csv, coolprop:FLUID or none; default: the "
        "equation of state of the substance, where its package is installed.",
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also plot: .png, .pdf or .svg (matplotlib)."),
]
Seed = Annotated[int, typer.Option(min=0, help="Of the random numbers.")]


def virial(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|INPUT",
            help="A name that `sterna models` lists, lennard_jones, several names with commas for a "
            "mixture, or an input file.",
        ),
    ],
    temperature: Temperatures,
    third: Annotated[bool, typer.Option(help="Also third coefficients.")] = True,
    mayer: Annotated[
        bool, typer.Option("--mayer", help="Mayer sampling also for atoms, in place of quadrature.")
    ] = False,
    orientations: Annotated[
        int, typer.Option(min=16, help="Of second coefficients, at each distance.")
    ] = 2048,
    steps: Annotated[
        int, typer.Option(min=10, help="Steps of the Mayer sampling of third coefficients.")
    ] = 2000,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="TABLE.CSV", help="Also write a table.")
    ] = None,
    plot: PlotOption = None,
    reference: ReferenceOption = None,
    seed: Seed = 1,
) -> None:
    """Compute second and third virial coefficients of a model, with errors.

    Of atoms and rigid molecules with Lennard-Jones sites, charges, dipoles and quadrupoles. Of a
    mixture all cross coefficients come along. The whole potential counts; of an input without
    tail_correction its Lennard-Jones part ends where the input says.
    """
    # NumPy is slow to load, and needed here only.
    from sterna.fluids.reference import virials_by_coolprop, wanted
    from sterna.fluids.virial import virial as compute

    kind, fluid = _reference_of_virials(reference, model, wanted)
    found = compute(
        model, temperature, third, mayer, orientations, steps, seed,
        lambda line: print(line, file=sys.stderr, flush=True),
    )  # fmt: skip
    print(found)
    beside, label = None, ""
    if kind == "coolprop":
        beside, label = virials_by_coolprop(fluid, found.temperature), f"CoolProp, {fluid}"
        print(f"{label}, the real fluid:")
        for k, t in enumerate(found.temperature):
            print(
                f"  {t:g} K".ljust(12)
                + f"B {beside['B'][k]:.6g}".ljust(20)
                + f"C {beside['C'][k]:.6g}"
            )
    if output is not None:
        print(f"wrote {found.write_csv(output)}")
    if plot is not None:
        _save(found.plot(beside, label), plot)


def vle(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|INPUT",
            help="A name that `sterna models` lists, or lennard_jones; of a mixture several names "
            "with commas, or an input file.",
        ),
    ],
    temperature: Temperatures,
    composition: Annotated[
        str | None,
        typer.Option(
            "--composition",
            "-x",
            metavar="X,X,...",
            help="Mole fractions in the liquid of a mixture: of two components that of the first "
            "one, 0.2,0.5; of more of them 0.2/0.3/0.5.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            metavar="grand-equilibrium|slab",
            help="Two phases whose chemical potentials meet, or liquid between vapor, with its tension.",
        ),
    ] = "grand-equilibrium",
    molecules: Annotated[
        int | None,
        typer.Option(
            "--molecules", "-m", min=100, help="Those of the liquid; default: 500, of slabs 1500."
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=100, help="Steps that are averaged; default: 100000, of slabs 200000."),
    ] = None,
    equilibration: Annotated[
        int | None,
        typer.Option(min=1, help="Steps before those; default: 20000, of slabs 40000."),
    ] = None,
    insertions: Annotated[
        int, typer.Option(min=1, help="Test molecules in every 20th step of grand-equilibrium.")
    ] = 2000,
    replicas: Annotated[int, typer.Option(min=1, help="Runs of each temperature.")] = 1,
    directory: Annotated[
        Path | None,
        typer.Option("--directory", "-d", help="Folder of all runs; default: vle-MODEL here."),
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Cores to use; default: all of this machine.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="TABLE.CSV", help="The table; default: vle.csv in the folder."
        ),
    ] = None,
    plot: PlotOption = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write report.html in the folder.")
    ] = False,
    reference: ReferenceOption = None,
    status: Annotated[
        bool, typer.Option("--status", help="Run nothing; show what is there.")
    ] = False,
    seed: Seed = 1,
) -> None:
    """Compute vapor pressures, saturated densities and the critical point of a model.

    From runs of a liquid and a vapor whose chemical potentials meet, or with --method slab from slabs
    of liquid between their vapor. Runs go side by side. A command that was killed goes on where it was,
    and more temperatures or --steps run only what is missing. `sterna watch FOLDER/liquids.toml` (of
    slabs study.toml) shows how far each run is.

    Of a mixture the composition of the liquid is given, and pressure and vapor are computed.
    """
    # NumPy is slow to load, and needed here only.
    from sterna.fluids.bubble_points import bubble_points
    from sterna.fluids.saturation import vle as compute

    def tell(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    _refuse_half_a_mixture(model, composition, method)
    with ended_by_signals():
        if composition is not None:
            found = bubble_points(
                model, temperature, composition, directory, molecules, steps, equilibration,
                replicas, cores, reference, seed, tell, not status, insertions,
            )  # fmt: skip
        else:
            found = compute(
                model, temperature, directory, molecules, steps, equilibration, replicas, cores,
                reference, seed, tell, not status, method, insertions,
            )  # fmt: skip
    print(found)
    folder = found.folder
    print(f"wrote {found.write_csv(output or folder / 'vle.csv')}")
    if plot is not None:
        _save(found.plot(), plot)
    if report:
        print(f"wrote {found.write_report(folder / 'report.html')}")
    if not found.is_complete:
        raise typer.Exit(1)


def _refuse_half_a_mixture(model: str, composition: str | None, method: str) -> None:
    if composition is None and ("," in model or model.endswith(".toml")):
        raise SternaError(
            f"{model}: the composition of the liquid is missing: --composition 0.5 is a mole fraction",
            2,
        )
    if composition is not None and method != "grand-equilibrium":
        raise SternaError(f"--method {method}: of a mixture expected grand-equilibrium", 2)


def _reference_of_virials(reference: str | None, model: str, wanted) -> tuple[str, str]:  # noqa: ANN001
    substance = models().get(model, {}).get("substance", "")
    if reference is not None and reference.endswith(".csv"):
        raise SternaError("--reference of virial coefficients: expected coolprop:FLUID or none", 2)
    kind, fluid = wanted(reference, substance, model == "lennard_jones")
    return ("", "") if kind == "teqp" else (kind, fluid)


def _save(figure, path: Path) -> None:  # noqa: ANN001
    try:
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise SternaError(f"{path}: the plot cannot be written: {error}", 2) from error
    print(f"wrote {path}")
