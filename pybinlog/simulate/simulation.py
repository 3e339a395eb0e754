"""simulate(): a scenario run on a server of its own, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

from pybinlog.output.modes import make_folders
from pybinlog.output.replacement import Replacement, status_of
from pybinlog.output.replacement_batch import MOST_FILES, ReplacementBatch
from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.log.outline import explain, outline
from pybinlog.simulate.options import ServerOptions
from pybinlog.simulate.scenario import Scenario
from pybinlog.simulate.server import Server

BASE_NAME = "binlog"


@dataclass(frozen=True)
class Simulation:
    """The results of a scenario: the binary logs by name, and the server with its tables.

    `warnings` are (line, text), `errors` of the statements that failed as they were meant to (line, number, text).
    """

    files: dict[str, bytes]
    warnings: list[tuple[int, str]]
    errors: list[tuple[int, int, str]]
    server: Server

    @property
    def base_name(self) -> str:
        """The name of the logs without their number."""
        return self.server.state.log.base_name

    def table(self, name: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table, "database.table", as the model holds them. Raise KeyError if there is none."""
        return self.tables()[name]

    def tables(self) -> dict[str, list[tuple[Any, ...]]]:
        """All tables: "database.table" -> rows."""
        return self.server.state.storage.rows()

    def outline(self) -> Iterator[str]:
        """Yield a line for each event of the logs, with the connection whose change it is."""
        state = self.server.state
        return outline(self.files, state.log.statements, state.traces)

    def explain(self) -> Iterator[str]:
        """Yield the decisions of the layers of WL#2687 about each statement, and its events."""
        state = self.server.state
        for place, number in state.log.statements.items():
            state.traces[number].events.append(place)
        return explain(self.files, state.traces)

    def write(self, folder: str | os.PathLike[str], *, replace: bool = False) -> list[Path]:
        """Write the logs and their index file into a folder, which is made if need be; the paths, the index last.

        Raise ScenarioError where a file is there already, unless `replace` says to put the new ones in their place
        (older logs of the same name go, too, once the new ones are there), and BinlogError where one cannot be written.
        The first takes its name when all are whole; of more than MOST_FILES, when that many are.
        """
        target = Path(folder)
        older = files_there(target, self.base_name)
        if older and not replace:
            raise ScenarioError("the file is there already", file=str(older[0]))
        make_folders(os.fspath(folder))
        index = "".join(f"./{name}\n" for name in self.files).encode()
        contents = {**self.files, f"{self.base_name}.index": index}
        paths = [str(target / name) for name in contents]
        for path in paths:
            status_of(os.path.realpath(path), path)
        for at in range(0, len(paths), MOST_FILES):
            with ExitStack() as files, ReplacementBatch() as batch:
                written = [files.enter_context(Replacement(path)) for path in paths[at : at + MOST_FILES]]
                for file, data in zip(written, list(contents.values())[at:], strict=False):
                    file.write(data)
                for file in written:  # now that all are whole
                    batch.add(file)
        for old in older:
            if old.name not in contents:
                old.unlink()
        return [target / name for name in contents]


def files_there(folder: Path, base_name: str) -> list[Path]:
    """Return the logs and the index file of that name in a folder: what `Simulation.write` would replace."""
    numbered = f"{escape(base_name)}.[0-9][0-9][0-9][0-9][0-9][0-9]"
    index = folder / f"{base_name}.index"
    return sorted(folder.glob(numbered)) + ([index] if index.exists() else [])


def simulate(
    scenario: Scenario | str | bytes, *, name: str = "scenario", options: ServerOptions | None = None
) -> Simulation:
    """Run a scenario, or the text of one, which errors call `name`; `options` are the server's without `-- server:`.

    The same scenario gives the same bytes. Raise ScenarioError, with the line that cannot be run.
    """
    if not isinstance(scenario, Scenario):
        scenario = Scenario.parse(scenario, name, options)
    try:
        options = scenario.options.complete()
    except ScenarioError as error:
        raise error.in_line(scenario.name, 0) from None
    server = Server(options, options.log_bin or BASE_NAME)
    server.run(scenario)
    files = {name: bytes(data) for name, data in server.state.log.files.items()}
    return Simulation(files, server.state.warnings, server.errors, server)
