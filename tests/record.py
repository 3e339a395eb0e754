"""Record: run mysqlbinlog in a folder of testdata, and add the run to the folder's runs.toml.

    python -m tests.record testdata/more/my-case hexdump-vv -- mysqlbinlog --hexdump -vv binlog.000001

The command after -- runs in that folder, in UTC or the zone of --time-zone. Its first word is the program, and may have
options of its own ('mysqlbinlog --no-defaults'); the others are the arguments that a test gives to pybinlog. --stdin
names files of the folder, which the program reads one after the other. Nothing that was recorded before is changed: a
name that the folder has is an error.
"""

import argparse
import json
import lzma
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .corpus import Scenario
from .parity.reference import run_reference

LARGE = 12 << 10
"""A longer text is stored compressed."""


def as_toml(run: Mapping[str, Any]) -> str:
    """A run as the [[run]] of a runs.toml, its keys in order."""
    return "".join(["[[run]]\n", *(f"{key} = {_value(value)}\n" for key, value in run.items())])


def _value(value: str | int | Sequence[str]) -> str:
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        return f"[{', '.join(map(_value, value))}]"
    if value.endswith("\n") and "'''" not in value and value.replace("\n", "").isprintable():
        return f"'''\n{value}'''"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def record(
    folder: Path,
    name: str,
    program: Sequence[str],
    arguments: Sequence[str],
    time_zone: str = "UTC",
    stdin: Sequence[str] = (),
) -> str:
    """Run the program in the folder; store its text and add the run. Return the text that was added to runs.toml.

    Raises ValueError where the folder has a run of that name.
    """
    scenario = Scenario(folder.resolve())
    if name in scenario.runs:
        raise ValueError(f"{folder / 'runs.toml'} has a run {name} already: remove it first, with its text")
    done = run_reference(
        [*program, *arguments], folder, time_zone, b"".join((folder / file).read_bytes() for file in stdin)
    )
    same = next((run.stdout for run in scenario.runs.values() if run.output == done.stdout), None)
    stdout = same or f"expected/{name}.txt{'.xz' if len(done.stdout) > LARGE else ''}"
    run: dict[str, Any] = {"name": name, "arguments": arguments}
    if stdin:
        run["stdin"] = stdin
    if time_zone != "UTC":
        run["time_zone"] = time_zone
    run["stdout"] = stdout
    if done.returncode:
        run["status"] = done.returncode
    if done.stderr:
        run["stderr"] = done.stderr.decode()
    if same is None:
        path = folder / stdout
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lzma.compress(done.stdout) if path.suffix == ".xz" else done.stdout)
    runs = folder / "runs.toml"
    before = runs.read_text(encoding="utf-8") + "\n" if runs.exists() else ""
    runs.write_text(before + as_toml(run), encoding="utf-8")
    return as_toml(run)


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.record", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--time-zone", default="UTC", metavar="ZONE")
    parser.add_argument("--stdin", action="append", default=[], metavar="FILE")
    parser.add_argument("command", nargs="+", metavar="PROGRAM ARGUMENT ...")
    given = parser.parse_args()
    try:
        program, *arguments = given.command
        print(record(given.folder, given.name, shlex.split(program), arguments, given.time_zone, given.stdin), end="")
    except (OSError, ValueError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
