"""Runs an input as a job of its own."""

from pathlib import Path

from sterna.errors import SternaError
from sterna.launching import launch
from sterna.results.outputs import settings_of
from sterna.results.result import Result, result_of
from sterna.runs.at_end import AtEnd


def run(
    input: str | Path,  # noqa: A002 - the word a user expects
    ranks: int | None = None,
    resume: bool = False,
    show: bool = False,
    overwrite: bool = False,
    steps: int | None = None,
    from_stage: str | None = None,
) -> Result:
    """Runs the input file on `ranks` ranks (default: all cores) and returns what it left.

    Files go where `directory` in [output] says. It counts from the working folder, as with the
    command `sterna run`, not from the folder of the input; without it they go into the working folder.
    `steps`: instead of `steps` in [run] of the input; counted from the start, also with `resume`.
    The `[[stage]]`s of an input run one after the other; `from_stage` is the first to run, from the
    end of the one before it.
    With `show` its output also goes to the screen. A new start keeps files of an earlier run as
    backups, `#NAME.log.jsonl.1#` and so on, or removes them with `overwrite`. A report, and
    files in formats of other programs, that the input asks for are written at the end, also of a run
    that failed. Raises SternaError, with what the run said, where it did not end well; and before
    it begins, where a package that a format needs is missing.
    """
    outputs = settings_of(Path(input))
    if "replicas" in outputs:
        raise SternaError(f"{input}: has replicas; sterna.Replicas(...).run() runs them")
    return result_of(
        outputs,
        launched(
            Path(input),
            ranks,
            resume=resume,
            show=show,
            overwrite=overwrite,
            steps=steps,
            from_stage=from_stage,
        ),
    )


def launched(
    input: Path,  # noqa: A002 - the word a user expects
    ranks: int | None,
    *,
    resume: bool,
    show: bool,
    overwrite: bool,
    steps: int | None,
    from_stage: str | None = None,
) -> str:
    """Runs the input to its end, as `run` does. Returns what it said."""
    at_end = AtEnd(input)
    said: list[str] = []
    errors: list[str] = []

    def keep(lines: list[str]):
        def take(line: str) -> None:
            lines.append(line)
            if show:
                print(line, end="", flush=True)

        return take

    status = launch.launch(
        ranks or launch.available_cores(),
        [
            *(["--resume"] if resume else []),
            *(["--overwrite"] if overwrite else []),
            *([] if steps is None else [f"--steps={steps}"]),
            *([] if from_stage is None else [f"--from={from_stage}"]),
            *("--progress", "never", "--", str(input)),
        ],
        keep(said),
        keep(errors),
    )
    try:
        at_end.write(status)
    except SternaError as error:
        if status == 0:
            raise
        errors.append(f"sterna: {error}\n")
    if status != 0:
        text = "".join(errors).strip() or "".join(said).strip()
        raise SternaError(text or f"sterna-md ended with status {status}", status)
    return "".join(said)
