"""The program run in process as the reference was run: in a copy of a scenario's folder, in its time zone."""

import io
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pybinlog.boundary import BoundaryType
from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run as run_program

from ..corpus import Run, Scenario

TYPE_NAMES = "|".join(re.escape(BoundaryType(code).printed_name) for code in range(8))
GAPS = {
    ("mysql-9.7/multi-file", "reverse"),
    ("mysql-9.7/multi-file", "two"),
    ("mysql-9.7/row-basic", "twice"),
    ("more/positions", "three-datetime"),
    ("more/positions", "three-offset"),
    ("more/positions", "three-short"),
    ("more/relay-positions", "all-hexdump"),
    ("more/relay-positions", "offset"),
    ("more/relay-positions", "positions"),
    ("more/require-row-format", "two-logs"),
    ("more/standard-input", "three"),
    ("more/standard-input", "three-hexdump"),
    ("more/standard-input", "three-offset"),
    ("more/standard-input", "three-verify-short"),
}
"""Runs, by scenario and name, whose logs do not continue each other."""
HEADER_LINE = re.compile(rb"^(#\d{6} [ \d]\d:\d\d:\d\d server id \d+  end_log_pos \d+.*)$", re.MULTILINE)
TBM = re.compile(rb"\tTBM: (?:%s)(?: \(inferred\))?$" % TYPE_NAMES.encode())


@dataclass
class Output:
    """The output of one run."""

    status: int
    text: bytes
    errors: str

    @property
    def lines_of_errors(self) -> list[str]:
        return self.errors.splitlines()


class Stream(io.BytesIO):
    """Standard output that can still be read after the program is done with it."""

    def close(self) -> None:
        pass


@contextmanager
def local_time(zone: str) -> Iterator[None]:
    """Local time is that of the zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


@contextmanager
def working_folder(folder: Path) -> Iterator[None]:
    """Relative names are those of the folder, and the files of LOAD DATA go to a folder below it."""
    before, variable = Path.cwd(), os.environ.get("TMPDIR")
    temporary = folder / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)  # the names count up while older files lie there
    temporary.mkdir()
    os.chdir(folder)
    os.environ["TMPDIR"] = str(temporary)
    try:
        yield
    finally:
        os.chdir(before)
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable


def scratch_copy(scenario: Scenario, folder: Path) -> Path:
    """A folder with the scenario's files, in which the program may be run."""
    for path in scenario.folder.iterdir():
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    return folder


def dump(arguments: Sequence[str], folder: Path, stdin: bytes = b"", zone: str = "UTC") -> Output:
    """`pybinlog ARGUMENTS` in the folder; in the text the files of LOAD DATA lie in /tmp, as in the reference's."""
    out, errors = Stream(), io.StringIO()
    with local_time(zone), working_folder(folder):
        status = run_program(list(arguments), Environment(stdin=io.BytesIO(stdin), stdout=out, stderr=errors))
    text = out.getvalue().replace(f"{folder}/tmp/SQL_LOAD_MB-".encode(), b"/tmp/SQL_LOAD_MB-")
    return Output(int(status), text, errors.getvalue())


def has_gaps(run: Run) -> bool:
    """The logs of the run do not continue each other."""
    return (run.scenario.name, run.name) in GAPS


def dump_run(run: Run, folder: Path, *extra: str) -> Output:
    """The program with the arguments of a run of the reference, which sees no gaps."""
    if has_gaps(run):
        extra = (*extra, "--allow-gaps")
    scratch_copy(run.scenario, folder)
    arguments = [argument.replace("=/tmp", f"={folder}/tmp") for argument in run.arguments]
    return dump([*extra, *arguments], folder, run.standard_input, run.time_zone)


def without_opening_comments(text: bytes) -> bytes:
    """The text from its first statement on: each tool words the comments before that for itself."""
    lines = text.split(b"\n")
    start = next((i for i, line in enumerate(lines) if not line.startswith(b"# ") or line.startswith(b"# at")), 0)
    return b"\n".join(lines[start:])


def without_tbm(text: bytes) -> tuple[bytes, list[bytes]]:
    """The text without the field at the end of its header lines, and without the lines that name the logs; and the
    header lines that had no field."""
    missing = []
    text = re.sub(rb"^# log [^\n]*\n", b"", text, flags=re.MULTILINE)

    def strip(match: re.Match[bytes]) -> bytes:
        line, count = TBM.subn(b"", match[1])
        if count != 1:
            missing.append(match[1])
        return line

    return HEADER_LINE.sub(strip, text), missing
