"""`pybinlog simulate`: the command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.environment import Environment
from pybinlog.cli.inputs import outputs_of
from pybinlog.cli.options.option import Option, flag, force_option, repeated
from pybinlog.errors import BinlogError, SourceError
from pybinlog.side_file import side_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pybinlog.simulate import Scenario, Simulation

MOST_BYTES = 64 << 20
"""The largest scenario."""
ABOUT = """\
Run scenarios (SQL statements of one or more connections) on a model of MySQL's binary logging, and write the binary \
logs that a server would have written. This needs no server.

Each line of a scenario has a connection and a statement; the first line describes the server. The logs of \
shop.sql are named shop.000001 and so on, with an index file, shop.index. The same scenario gives the same bytes. \
If the model does not support a statement, the error names file, line and statement, and no log of that scenario is \
written."""

EXAMPLES = """\
pybinlog simulate shop.sql -o fixtures
pybinlog simulate --outline shop.sql
pybinlog simulate --server='version=5.6 format=STATEMENT' shop.sql -o old
pybinlog simulate -f tests/*.sql -o logs && pybinlog check logs/*.000001
pybinlog simulate - -o logs < shop.sql && pybinlog -v logs/binlog.000001"""

SCENARIO = """\
-- server: version=9.7 format=MIXED gtid=on checksum=crc32 markers=on
con1: CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB;
con1: BEGIN;
con1: INSERT INTO t VALUES (1);
con2: INSERT INTO t VALUES (2);
con1: COMMIT;"""

SECTIONS: dict[str, list[Option]] = {
    "Output": [
        Option("output", "Write the logs into this folder; pybinlog creates it.", letter="o", metavar="DIR"),
        force_option(),
        flag(
            "outline",
            "Show the events of the logs, one on a line, with the connection that caused each. --output is optional "
            "then; without it, no log is written.",
            letter="l",
        ),
        flag(
            "explain",
            "Show what the layers of WL#2687 decide for each statement (format, cache, flush: the letters of its "
            "tables) and its events. --output is optional then.",
        ),
        flag(
            "diff",
            "Apply the logs of STATEMENT, ROW and MIXED to a second copy of the tables, and show how this replica "
            "differs. --output is optional then.",
        ),
    ],
    "Server": [
        repeated(
            "server",
            "Settings of the server, separated by spaces. They override those of the scenario's `-- server:` line: "
            "version=5.6, 9.7 or 11.8 (MariaDB), format=STATEMENT, ROW or MIXED, gtid, markers, rows_query=on or off, "
            "checksum=crc32 or none, time=2024-01-01T00:00:00, server_id=1 and others.",
            letter="s",
            metavar="SETTINGS",
        )
    ],
}


@command(
    SECTIONS,
    ABOUT,
    {"Examples": EXAMPLES, "A scenario": SCENARIO},
    usage="simulate [OPTIONS] SCENARIO... -o DIR",
    files="scenarios",
)
def simulate(
    ctx: click.Context,
    /,
    scenarios: tuple[str, ...],
    output: str | None,
    force: bool,
    outline: bool,
    explain: bool,
    diff: bool,
    server: tuple[str, ...],
) -> None:
    environment = environment_of(ctx)
    if not scenarios:
        raise click.UsageError("no scenario is given; name one, or - for standard input.")
    if outline + explain + diff > 1:
        raise click.UsageError("--outline, --explain and --diff exclude each other; give one of them.")
    if output is None and not (outline or explain or diff):
        raise click.UsageError("no output is given; give --output=DIR, or --outline to see the events.")
    if scenarios.count("-") > 1:
        raise click.UsageError("standard input can be read only once; give - only once.")
    loaded = {name: load(environment, name, server) for name in dict.fromkeys(scenarios)}
    check_names(loaded)
    check_outputs(environment, loaded, output, force=force)
    for name, scenario in loaded.items():
        result = run(scenario, base_name(name, scenario))
        for line, text in result.warnings:
            environment.warn(f"{text}. [{name}, line {line}]" if line else text)
        written = [] if output is None else store(result, output, force=force)
        shown: Iterable[str] = written
        if diff:
            from pybinlog.simulate.replica import compare_formats

            shown = compare_formats(scenario)
        elif outline or explain:
            shown = result.outline() if outline else result.explain()
        environment.show("".join(f"{line}\n" for line in shown))


def load(environment: Environment, name: str, settings: tuple[str, ...]) -> Scenario:
    """Read one scenario, with the command line's settings on top of its own."""
    from pybinlog.simulate.errors import ScenarioError
    from pybinlog.simulate.scenario import Scenario

    try:
        if name == "-":
            if environment.stdin is None:
                raise SourceError("standard input is closed")
            text = environment.stdin.read(MOST_BYTES + 1)
            if len(text) > MOST_BYTES:
                raise SourceError(f"a scenario has no more than {MOST_BYTES >> 20} MiB", file=name)
        else:
            text = side_file(name, MOST_BYTES)
    except OSError as error:
        raise SourceError(f"it cannot be read: {error.strerror or error}", file=name) from error
    scenario = Scenario.parse(text, name)
    for part in settings:
        try:
            scenario.options = scenario.options.with_settings(part)
        except ScenarioError as error:
            raise click.UsageError(f"--server: {error}.") from None
    return scenario


def base_name(name: str, scenario: Scenario) -> str:
    """Return the base name of a scenario's logs: the server's setting, or the file's name."""
    return scenario.options.log_bin or ("binlog" if name == "-" else Path(name).stem)


def check_names(scenarios: dict[str, Scenario]) -> None:
    """Raise an error if two scenarios write the same logs."""
    owners: dict[str, str] = {}
    for name, scenario in scenarios.items():
        base = base_name(name, scenario)
        if base in owners:
            raise click.UsageError(
                f"the logs of {owners[base]} and {name} would both be called {base}.000001; "
                "run them into different folders, or put log_bin=NAME into a `-- server:` line."
            )
        owners[base] = name


def check_outputs(environment: Environment, scenarios: dict[str, Scenario], output: str | None, *, force: bool) -> None:
    """Raise OutputError if a log would overwrite a scenario, or another log without --force."""
    from pybinlog.simulate.simulation import files_there

    outputs = outputs_of(environment, list(scenarios), what="the scenario", force=force)
    outputs.writes_to(environment.stdout)
    if output is None:
        return
    for name, scenario in scenarios.items():
        for path in files_there(Path(output), base_name(name, scenario)):
            outputs.writes(str(path), f"the new file {path}")


def run(scenario: Scenario, base: str) -> Simulation:
    from dataclasses import replace

    from pybinlog.simulate import simulate

    scenario.options = replace(scenario.options, log_bin=base)
    return simulate(scenario)


def store(result: Simulation, folder: str, *, force: bool) -> list[str]:
    """Write the logs; the paths."""
    from pybinlog.simulate.errors import ScenarioError

    try:
        return [str(path) for path in result.write(folder, replace=force)]
    except ScenarioError as error:
        error.hint = "Name another folder, or let it be replaced: --force"
        raise
    except OSError as error:
        raise BinlogError(
            f"it cannot be written: {error.strerror or error}", file=str(error.filename or folder)
        ) from error
