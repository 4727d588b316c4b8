"""The `sterna` command. The work is done by the program `sterna-md`."""

import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, TextIO

import typer
import typer.core

from sterna.bench import command as bench
from sterna.errors import SternaError
from sterna.fluids import command as fluids_command
from sterna.importing import command as import_command
from sterna.launching import launch
from sterna.launching.processes import ended_by_signals
from sterna.launching.program import find_companion, find_launcher, find_program, version
from sterna.runs.at_end import AtEnd
from sterna.support.help_texts import Lists, WholeSentences
from sterna.support.progress import ProgressBar

#: In the order in which one meets them; all other commands follow in the order of their names.
_USUAL = (
    "run", "check", "watch", "report", "averages", "picture", "sweep", "new", "import", "export",
    "models", "doctor",
)  # fmt: skip


class _UsualFirst(WholeSentences):
    """Its help has the usual commands first."""

    def list_commands(self, ctx: typer.Context) -> list[str]:
        names = super().list_commands(ctx)
        usual = [name for name in _USUAL if name in names]
        return usual + sorted(set(names) - set(usual))

    def format_commands(self, ctx: typer.Context, formatter: Lists) -> None:
        rows = self.rows(ctx)
        usual = [row for row in rows if row[0] in _USUAL]
        for title, part in (("Usual commands", usual), ("Other commands", rows[len(usual) :])):
            if part:
                with formatter.section(title):
                    formatter.write_dl(part)


app = typer.Typer(
    cls=_UsualFirst,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
bench.add_to(app)


class Progress(Enum):
    """When a run tells how far it is."""

    auto = "auto"
    always = "always"
    never = "never"


InputFile = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="The input file (TOML, a config.xml of ls1-MarDyn, a .mddef of MODYLAS).",
    ),
]


def _write(stream: TextIO, text: str) -> None:
    """Writes a text. If the reader is gone, as in `sterna run x | head`, the run goes on without
    output.
    """
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _discard(stream)


def _discard(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _to_standard_output(text: str) -> None:
    _write(sys.stdout, text)


def _to_standard_error(text: str) -> None:
    _write(sys.stderr, text)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"sterna {version()}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """Simulate liquids, molecules and solids by molecular dynamics.

    `sterna run INPUT` runs what an input file describes, on all cores. `sterna COMMAND --help` shows
    the options of a command.
    """


@app.command()
def run(
    input_file: InputFile,
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", min=1, help="Ranks to start; default: one for each core."),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(min=0, help="Steps of the run, instead of `steps` in [run] of the input."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the latest valid checkpoint.")
    ] = False,
    from_stage: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STAGE",
            help="Of an input with stages the first to run, from the end of the one before it.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Remove what an earlier run left, instead of keeping backups."
        ),
    ] = False,
    progress: Annotated[
        Progress, typer.Option(help="always: the lines that a front end draws progress from.")
    ] = Progress.auto,
    verbose: Annotated[
        bool,
        typer.Option("-v", "--verbose", help="At the end also say where the time went."),
    ] = False,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="At the end also write NAME.report.html, as `report = true` in [output] does.",
        ),
    ] = False,
) -> None:
    """Run a simulation.

    Starts one rank for each core, or as many as asked for; under a launcher (mpiexec, srun) it
    joins the ranks that are there. SIGTERM or Ctrl-C writes a checkpoint and ends the run;
    --resume continues it. Without --resume a run starts from the beginning, and files that an earlier one of
    this name left are kept as #NAME.log.jsonl.1# and so on. --steps counts from the start of the
    run, also with --resume. The [[stage]]s of an input run one after the other; --resume goes on in
    the one that has not ended.
    """
    chosen = {"--resume": resume, "--overwrite": overwrite, "--verbose": verbose}
    options = [option for option, is_set in chosen.items() if is_set]
    if steps is not None:
        options.append(f"--steps={steps}")
    if from_stage is not None:
        options.append(f"--from={from_stage}")
    # The name of a file may begin with a dash.
    named = ["--", str(input_file)]
    # On several ranks the ranks do the work at the end, because no other process outlives them.
    to_report = [*(["--report"] if report else []), "--python", sys.executable]
    launch.join([*options, *to_report, "--progress", progress.value, *named], ranks)
    ranks = ranks or launch.available_cores()
    at_end = AtEnd(input_file, report)
    # The launcher may give the ranks a terminal where this process writes to a file, so they do not
    # choose by themselves.
    if progress != Progress.auto or not sys.stdout.isatty():
        shown = Progress.never if progress == Progress.auto else progress
        arguments = [*options, "--progress", shown.value, *named]
        status = launch.launch(ranks, arguments, _to_standard_output, _to_standard_error)
    else:
        arguments = [*options, "--progress", "always", *named]
        with ProgressBar() as bar:
            status = launch.launch(ranks, arguments, bar.show, bar.show)
    _write_at_end(at_end, status)
    raise typer.Exit(status)


def _write_at_end(at_end: AtEnd, status: int) -> None:
    """Does the work that the input of a finished run asks for, and says where the results are.

    Raises SternaError where something cannot be written, unless the run has failed already.
    """
    try:
        at_end.write(status, lambda path: _to_standard_output(f"wrote {path}\n"))
    except SternaError as error:
        if status == 0:
            raise
        _to_standard_error(f"sterna: {error}\n")


@app.command(
    name="launch",
    # Arguments after the script's name belong to the script.
    context_settings={"allow_extra_args": True, "allow_interspersed_args": False},
)
def launch_script(
    context: typer.Context,
    script: Annotated[
        Path, typer.Argument(metavar="SCRIPT.PY", help="A Python script; its arguments follow.")
    ],
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", min=1, help="Ranks to start; default: one for each core."),
    ] = None,
) -> None:
    """Run a Python script on many ranks.

    Every rank runs the whole script, and a simulation in it is one of all ranks. Under a launcher
    (mpiexec, srun) it joins the ranks that are there. Ctrl-C or SIGTERM ends a simulation at a step
    of all ranks, and the script gets a KeyboardInterrupt. What comes after the name of the script
    is for the script.
    """
    if not script.is_file():
        raise SternaError(f"the script {script} does not exist or is no file")
    arguments = context.args
    launch.join([str(script), *arguments], ranks, Path(sys.executable))
    ranks = ranks or launch.available_cores()
    status = launch.launch_script(ranks, script, arguments, _to_standard_output, _to_standard_error)
    raise typer.Exit(status)


@app.command()
def check(
    input_file: InputFile,
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", min=1, help="Ranks to think of; default: one for each core."),
    ] = None,
) -> None:
    """Check an input file without running it: every mistake at once, and advice."""
    try:
        AtEnd(input_file)
    except SternaError as error:
        _to_standard_error(f"sterna: warning: {error}\n")
    number = str(ranks or launch.available_cores())
    launch.become(["--check", "--ranks", number, "--", str(input_file)])


@app.command()
def convert(
    input_file: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="A config.xml of ls1-MarDyn, or a .mddef of MODYLAS."),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT.TOML", help="The file to write.")],
) -> None:
    """Write an input of another program as one of Sterna's.

    What it asks for and Sterna does not do is listed with file, line and column. The start files
    stay where they are: the new input names them.
    """
    launch.become([f"--convert={output}", "--", str(input_file)])


@app.command()
def export(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="An input that has been run, its log, trajectory or folder; for .data, .top and "
            ".xml also one that has not, of which the start is written.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write; its name tells the format: .xtc, .trr, .dcd, .gsd, .extxyz, "
            ".lammpstrj, .data, .top, .xml, .pdb or .gro.",
        ),
    ],
    frames: Annotated[
        str | None,
        typer.Option(
            metavar="FIRST:END:EVERY", help="Numbers of frames, as in Python; -1 is the last frame."
        ),
    ] = None,
    steps: Annotated[
        str | None, typer.Option(metavar="FIRST:LAST", help="Frames of these steps.")
    ] = None,
    times: Annotated[
        str | None,
        typer.Option(metavar="FIRST:LAST", help="Frames of these times, in ps or reduced."),
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Every n-th of these frames.")] = 1,
    select: Annotated[
        list[str] | None,
        typer.Option(help="Only what has this name: a type, a molecule, an atom; may be repeated."),
    ] = None,
    massless: Annotated[
        bool,
        typer.Option(help="Sites without mass, such as charges beside an atom, are atoms, too."),
    ] = True,
    centers: Annotated[
        bool, typer.Option("--centers", help="Rigid molecules are points, not their sites.")
    ] = False,
    force_field: Annotated[
        bool,
        typer.Option(help="LAMMPS's data file has the force field, and NAME.in beside it."),
    ] = True,
    format: Annotated[  # noqa: A002 - the word a user expects
        str | None, typer.Option(help="The format, where the name of the file does not tell it.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
) -> None:
    """Write a trajectory, or a system, for other programs.

    .top is a system of GROMACS with .gro and .mdp beside it, .xml an input of ls1-MarDyn with .inp,
    .data one of LAMMPS with .in: what these programs do not have is refused by name. Sites of rigid molecules become atoms, with names, elements, masses, charges and bonds where the
    format has them. Molecules are whole. A format for one frame gets the last one.
    """
    # NumPy and h5py are slow to load, and needed here only.
    from sterna.exporting.command import export as write

    made = write(
        run, output, format=format, frames=frames, steps=steps, times=times, every=every,
        select=select, massless=massless, centers=centers,
        force_field=force_field, overwrite=overwrite,
    )  # fmt: skip
    count, atoms = len(made.numbers), len(made.atoms)
    print(f"wrote {output}: {count} frame{'s' if count > 1 else ''} of {atoms} atoms")
    for path in made.beside_paths(output):
        print(f"wrote {path}")
    for note in made.notes:
        _to_standard_error(f"sterna: warning: {note}\n")


import_command.add_to(app)
fluids_command.add_to(app)


@app.command(name="report")
def report_runs(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="A log (NAME.log.jsonl), the input file, a folder with one log, or FOLDER/NAME.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT.HTML",
            help="The file to write; default: NAME.report.html beside the log, of several runs "
            "report.html here.",
        ),
    ] = None,
    trajectory: Annotated[
        bool,
        typer.Option(
            "--trajectory/--no-trajectory", help="Show the particles, where a run has a trajectory."
        ),
    ] = True,
) -> None:
    """Write one HTML file that shows what runs were, found and cost.

    It opens without a network: averages and plots of what was logged and observed, where the time
    went, which exchange methods were chosen and why, advice, and the trajectory in three
    dimensions. Several runs are compared. A run that still goes on, or broke off, has a report too.
    """
    # NumPy is slow to load, and needed here only.
    from sterna.report import write_report

    print(f"wrote {write_report(runs, output, trajectory)}")


@app.command()
def picture(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A trajectory (NAME.h5md), the input file, a folder of one run, or FOLDER/NAME.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A picture (.png, .pdf, .svg), or a movie of all frames (.gif, .mp4); default: "
            "NAME.png beside the trajectory.",
        ),
    ] = None,
    frame: Annotated[int, typer.Option(help="From 0 on, or from the end: -1 is the last.")] = -1,
    hide: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Leave out a type, molecule, residue or atom; may be repeated."
        ),
    ] = None,
    turn: Annotated[
        tuple[float, float],
        typer.Option(help="Degrees about the vertical axis, and then towards you."),
    ] = (20.0, 12.0),
    pixels: Annotated[int, typer.Option(min=100, max=10000, help="Width of a picture.")] = 1200,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
) -> None:
    """Draw the particles of a run in their box, without a display.

    Elements have their usual colors, other types some of their own. It needs matplotlib (pip install
    matplotlib), and for .mp4 ffmpeg (pip install imageio-ffmpeg).
    """
    # NumPy is slow to load, and needed here only.
    from sterna.frames.picture import write
    from sterna.results.result import read

    result = read(given)
    path = output or result.directory / f"{result.name}.png"
    write(
        result.frames, path, frame, hidden=hide or [], turned=turn, pixels=pixels,
        overwrite=overwrite,
    )  # fmt: skip
    print(f"wrote {path}")


@app.command()
def averages(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A log (NAME.log.jsonl), the input file, a folder with one log, or FOLDER/NAME.",
        ),
    ],
    equilibration: Annotated[
        int | None,
        typer.Option(min=0, help="Steps to leave out, instead of what has not settled."),
    ] = None,
) -> None:
    """Print the averages of a run over the part where it has settled.

    They have standard errors, and it is told what was left out, and whether the run has settled at
    all. Without --equilibration they are those that the run has found itself.
    """
    from sterna.results.run import find_run

    found = find_run(given)
    if equilibration is None:
        print(found.averages)
        return
    made = found.log.averages(equilibration)
    if not made.rows:
        last = found.log.rows[-1]["step"] if found.log.rows else 0
        raise SternaError(
            f"--equilibration {equilibration}: fewer than two rows of {found.log_path} are after "
            f"this step; the last one is of step {last}",
            2,
        )
    # What the run has averaged itself, not all columns of its log.
    print(made.among(found.averages))


@app.command("free-energy")
def free_energy(
    given: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="NAME.colvar of each umbrella window, NAME.dhdl.xvg of each state, or folders that "
            "hold them; or one NAME.hills of metadynamics.",
        ),
    ],
    variable: Annotated[
        str | None,
        typer.Option("--variable", metavar="NAME", help="Where several have an umbrella."),
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(min=2, help="Points of the profile; default: 50, and 200 of hills."),
    ] = None,
    begin: Annotated[
        float | None,
        typer.Option("--from", metavar="TIME", help="Leaves out rows before this time."),
    ] = None,
    temperature: Annotated[
        float | None,
        typer.Option(metavar="K", help="Of the windows; default: that of their thermostat."),
    ] = None,
    radial: Annotated[
        bool,
        typer.Option(
            "--radial", help="Of a distance: adds 2 k T ln r, for a potential of mean force."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The table to write; default: shown."),
    ] = None,
    energies: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npz",
            help="Also writes the reduced energies of all samples in all windows, for pymbar.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also plots, as .png, .pdf or .svg (matplotlib): of states their overlap, the "
            "convergence with more samples, and the walks of replicas; or the profile.",
        ),
    ] = None,
    standard_state: Annotated[
        bool,
        typer.Option(
            "--standard-state",
            help="Of one NAME.colvar: what its restraint costs a molecule without interactions, "
            "relative to 1 mol/l.",
        ),
    ] = False,
) -> None:
    """Compute the free energy along a variable, of states, or of a restraint, with errors.

    From umbrella windows, alchemical states or states of replicas by MBAR (pip install pymbar), with
    a look at their overlap and at the exchanges of replicas; or from the hills of metadynamics.
    Energies of a profile are in kJ/mol, angles in radians, lengths in nm; in reduced units as they
    are. Those of states are in units of k T.
    """
    from sterna.free_energies.command import write_profile

    text, messages = write_profile(
        given, variable, bins, begin, temperature, radial, output, energies, plot, standard_state
    )
    for message in messages:
        _to_standard_error(message + "\n")
    _to_standard_output(text)


@app.command()
def elastic(
    input_file: InputFile,
    strain: Annotated[
        float, typer.Option(min=1e-6, max=0.05, help="How far the box is strained.")
    ] = 1e-3,
    relax: Annotated[
        bool,
        typer.Option("--relax/--clamp", help="Relax the atoms in each strained box, or do not."),
    ] = True,
    relax_box: Annotated[
        bool, typer.Option("--relax-box", help="First make the box that has no stress.")
    ] = False,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each relaxation, at most.")] = 20000,
) -> None:
    """Print the elastic constants of a crystal at rest.

    The box of the input's start is strained in six ways, up and down, and the stress is
    differentiated. With them come bulk and shear moduli of a powder. Temperatures, thermostats and
    barostats of the input are left out.
    """
    from sterna.commands.elastic import elastic as constants_of

    found = constants_of(input_file, strain=strain, relax=relax, relax_box=relax_box, steps=steps)
    _to_standard_output(str(found))


@app.command()
def sweep(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="A TOML file: see docs/howto/sweeps.md.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="TABLE",
            help="The table to write: .csv or .parquet; default: results.csv in the folder of the "
            "sweep.",
        ),
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Cores to use; default: all of this machine.")
    ] = None,
    status: Annotated[
        bool, typer.Option("--status", help="Run nothing; tell how far each state point is.")
    ] = False,
    report: Annotated[
        bool,
        typer.Option("--report", help="Also write report.html: the table and plots with errors."),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also plot all averages with errors: .png, .pdf or .svg (matplotlib).",
        ),
    ] = None,
    slurm: Annotated[
        bool,
        typer.Option(
            "--slurm",
            help="Run nothing; write a script for sbatch: a job array with a task for each run that "
            "is missing.",
        ),
    ] = False,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Make this run alone, by the name of its folder, as job arrays do."
        ),
    ] = None,
) -> None:
    """Run an input at many state points, side by side, and write one table of the results.

    A sweep that was killed goes on where it was, and one whose study has more state points runs
    those that are missing. A run that fails is told and does not end the others. Under a launcher
    (mpiexec, srun) each group of `ranks` makes one run at a time.
    """
    from sterna.sweeps.outputs import FIGURES, TABLES, require_output
    from sterna.sweeps.sweep import Sweep

    made = Sweep(study)
    # What could not be written is told before the runs, not after them.
    if output is not None:
        require_output(output, TABLES)
    if plot is not None:
        require_output(plot, FIGURES)
    complete = True
    if slurm:
        script, count = made.write_batch_script()
        print(f"wrote {script} with {count} runs: look at it, then: sbatch {script}")
        return
    if status:
        print(made)
    else:
        with ended_by_signals():
            complete = made.run(lambda line: _to_standard_output(f"{line}\n"), cores, only)
    if only is None and made.directory.is_dir():
        print(f"wrote {made.write_table(output)}")
    if plot is not None:
        made.write_plot(plot)
        print(f"wrote {plot}")
    if report:
        print(f"wrote {made.write_report()}")
    if not complete:
        raise typer.Exit(1)


@app.command()
def watch(
    given: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A log (NAME.log.jsonl), the input file, a folder with one log, or FOLDER/NAME; or "
            "the study of a sweep.",
        ),
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option("-c", "--column", help="A column of the log to plot; may be repeated."),
    ] = None,
    interval: Annotated[
        float, typer.Option(min=0.1, help="Seconds between two looks at the log.")
    ] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="Draw once and end.")] = False,
    page: Annotated[
        bool,
        typer.Option("--page", help="Show the report so far to a browser of this machine instead."),
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of --page; 0 takes a free one.")] = 0,
) -> None:
    """Show a run while it goes on: plots in the terminal, or a page in a browser.

    Of a sweep (its study) it shows how far each run is. It follows the log and ends with the run. Ctrl-C ends the watching, not the run. Plots need
    plotext (pip install plotext).
    """
    # NumPy and Rich are slow to load, and needed here only.
    from rich.console import Console

    from sterna.commands import watch as watching

    if watching.is_study(given):
        if page or columns:
            raise SternaError("a sweep has neither --page nor --column; name one of its runs", 2)
        watching.watch_sweep(given, interval, once, Console())
        return
    if not page:
        watching.watch(given, columns or [], interval, once, Console())
        return
    with watching.page_server(given, port) as server:
        _to_standard_output(f"{watching.address_of(server)} (Ctrl-C ends)\n")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


@app.command()
def schema() -> None:
    """Print the JSON Schema of input files, for editors."""
    launch.become(["--schema"])


@app.command()
def methods(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Only this one: its name, or what the literature calls it."
        ),
    ] = None,
) -> None:
    """List the communication methods of each family, or those with this name (PCX, consensus)."""
    launch.become(["--methods" if name is None else f"--methods={name}"])


@app.command()
def formats(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAMES]...", help="Only these.")
    ] = None,
    require: Annotated[
        bool,
        typer.Option(
            "--require", help="Say nothing where these work, and else fail with what to install."
        ),
    ] = False,
) -> None:
    """List the formats of `sterna export`, and of `export` in [output], and what works here."""
    # NumPy is slow to load, and needed here only.
    from sterna.exporting import table

    if require:
        table.require(names or [])
        return
    chosen = [table.format_of(Path(), name) for name in names] if names else table.formats()
    for known in chosen:
        try:
            known.require()
            state = "works"
        except SternaError:
            state = "missing"
        print(f"  {known.suffix:<10} {state:<8} {known.description}")
        if state == "missing":
            print(f"  {'':<10} {'':<8} pip install {known.needs}")


@app.command()
def models() -> None:
    """List the published models of molecules, with their citations."""
    launch.become(["--models"])


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def tune(
    context: typer.Context,
    ranks: Annotated[
        str | None,
        typer.Option(
            "-n", "--ranks", metavar="N,N,...", help="Numbers of ranks; default: one for each core."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare the choices with every other method instead.")
    ] = False,
) -> None:
    """Measure the exchange methods of this machine, so that later runs start with the fastest.

    Writes the machine file ($STERNA_MACHINE_FILE, or sterna/machine.json in the cache folder), or
    that of --machine-file FILE. Runs find the fastest method without it too, while they go on.
    """
    verb = "tune-check" if check else "tune"
    launch.join([verb, *context.args], None, find_companion("sterna-bench"))
    for number in bench.numbers_of_ranks(ranks or str(max(2, launch.available_cores()))):
        document = bench.measure(verb, number, context.args, show=check)
        if not check:
            _to_standard_output("".join(f"{number} ranks: {n}\n" for n in document["notes"]))


@app.command()
def doctor(
    trial: Annotated[
        bool, typer.Option("--trial/--no-trial", help="Also run twenty steps on two ranks.")
    ] = True,
) -> None:
    """Say what runs find on this machine, and what to change.

    The exit status is 1 where runs will not work.
    """
    from sterna.commands import doctor as examination

    raise typer.Exit(examination.show(examination.examine(trial), _to_standard_output))


@app.command("version")
def show_version() -> None:
    """Print versions and where the program and its launcher are."""
    program = find_program()
    print(f"sterna {version()}")
    print(f"program  {program}")
    print(f"launcher {find_launcher(program)}")
    print(f"python   {sys.version.split()[0]}, {Path(sys.prefix)}")


def add_groups(arguments: Sequence[str] = ()) -> None:
    """Verbs that need NumPy, which takes longer to import than all else of a start."""
    simple = {command.name or command.callback.__name__ for command in app.registered_commands}
    if arguments and arguments[0] in simple | {"--version"}:
        return
    for name, module in (("new", "building.new"), ("validate", "validation.command")):
        app.add_typer(importlib.import_module(f"sterna.{module}").app, name=name)


def main() -> int:
    """Entry point; returns the exit status."""
    add_groups(sys.argv[1:])
    try:
        return app(standalone_mode=True) or 0
    except SternaError as error:
        _to_standard_error(f"sterna: error: {error}\n")
        return error.status
    except BrokenPipeError:
        _discard(sys.stdout)
        return 1
    except OSError as error:
        # Files and folders that may not be read or written, and full disks.
        place = f"{error.filename}: " if error.filename else ""
        _to_standard_error(f"sterna: error: {place}{error.strerror or error}\n")
        return 1
