"""Draw the pictures of the pages: docs/pictures/NAME.dot becomes NAME.svg (with Graphviz), and terminals are recorded.

python docs/pictures.py

The states of the boundary parser are drawn from the program's own rule; tests/test_pictures.py holds that each picture
says what its source says.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from pybinlog.boundary import BoundaryType, ParserState
from pybinlog.kernel.scan.boundary_state import accepts

FOLDER = Path(__file__).parent / "pictures"
STYLE = [
    "-Gbgcolor=white", "-Gfontname=Helvetica,Arial,sans-serif", "-Gpad=0.2", "-Nfontname=Helvetica,Arial,sans-serif",
    "-Nshape=box", "-Nstyle=rounded,filled", "-Nfillcolor=#eef4fb", "-Nfontsize=12",
    "-Efontname=Helvetica,Arial,sans-serif", "-Efontsize=10", "-Ecolor=#555555",
]  # fmt: skip
TESTDATA = Path(__file__).parent.parent / "testdata"
BEGIN, END = "DELIMITER /*!*/;", "SET @@SESSION.GTID_NEXT= 'AUTOMATIC'"
"""Lines of a dump around a transaction."""


class Terminal(NamedTuple):
    """A terminal in `folder` with a command, which gets the `hidden` arguments since it writes to a pipe."""

    folder: str
    command: str
    hidden: tuple[str, ...] = ()
    part: tuple[str, str] | None = None
    width: int = 100


TERMINALS = {
    "terminal": Terminal(
        "corpus/mysql-9.7/row-basic",
        "pybinlog -v --base64-output=decode-rows --start-position=1001 --stop-position=1330 binlog.000001",
        part=(BEGIN, END),
    ),
    "rows": Terminal(
        "shop", "pybinlog rows --ddl --table=shop.* binlog.000002 binlog.000003", ("--format=table",), width=112
    ),
    "summary": Terminal("shop", "pybinlog summary ."),
}
"""The pictures of a terminal, by name."""


def states() -> str:
    """Return the source of the boundary parser's states: an arrow for each transition that the parser accepts."""
    lines = ["digraph {", "  rankdir=LR"]
    between = [state for state in ParserState if state is not ParserState.ERROR]
    lines += [f'  {state.name} [label="{state.printed_name}"]' for state in between]
    for state in between:
        for kind in BoundaryType:
            if kind in (BoundaryType.NOT_DEFINED, BoundaryType.IGNORE_BOUNDARY) or not accepts(state, kind):
                continue
            lines.append(f"  {state.name} -> {kind.name}")
    return "\n".join([*lines, "}", ""])


def terminal(name: str) -> str:
    """Return the picture of a terminal."""
    one = TERMINALS[name]
    program, *arguments = one.command.split()
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), *arguments, *one.hidden, "--color=always"],
        cwd=TESTDATA / one.folder, env={**os.environ, "TZ": "UTC", "COLUMNS": str(one.width)}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    shown = done.stdout
    if one.part is not None:
        shown = shown.partition(one.part[0])[2].partition(one.part[1])[0]
    console = Console(record=True, width=one.width, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(f"$ {one.command}", style="bold", highlight=False)
    console.print(Text.from_ansi(shown.strip("\n")))
    return console.export_svg(title="pybinlog", theme=MONOKAI, unique_id=name)


def main() -> None:
    (FOLDER / "states.dot").write_text(states())
    for source in sorted(FOLDER.glob("*.dot")):
        subprocess.run(["dot", "-Tsvg", *STYLE, str(source), "-o", str(source.with_suffix(".svg"))], check=True)
    for name in TERMINALS:
        (FOLDER / f"{name}.svg").write_text(terminal(name))


if __name__ == "__main__":
    main()
