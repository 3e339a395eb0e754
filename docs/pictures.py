"""Draw the pictures of the pages: docs/pictures/NAME.dot becomes NAME.svg (with Graphviz), and a terminal is recorded.

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
TERMINAL = FOLDER / "terminal.svg"
LOG = Path(__file__).parent.parent / "testdata/corpus/mysql-9.7/row-basic/binlog.000001"
COMMAND = "pybinlog -v --base64-output=decode-rows --start-position=1001 --stop-position=1330 binlog.000001"


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


def terminal() -> str:
    """Return the picture of a terminal that shows a transaction."""
    program, *arguments = COMMAND.split()
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), "--color=always", *arguments],
        cwd=LOG.parent, env={**os.environ, "TZ": "UTC"}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    shown = done.stdout.partition("DELIMITER /*!*/;")[2].partition("SET @@SESSION.GTID_NEXT= 'AUTOMATIC'")[0]
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(f"$ {COMMAND}", style="bold", highlight=False)
    console.print(Text.from_ansi(shown.strip("\n")))
    return console.export_svg(title="pybinlog", theme=MONOKAI, unique_id="terminal")


def main() -> None:
    (FOLDER / "states.dot").write_text(states())
    for source in sorted(FOLDER.glob("*.dot")):
        subprocess.run(["dot", "-Tsvg", *STYLE, str(source), "-o", str(source.with_suffix(".svg"))], check=True)
    TERMINAL.write_text(terminal())


if __name__ == "__main__":
    main()
