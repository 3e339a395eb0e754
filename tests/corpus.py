"""The places of real binary logs and of the reference's output: testdata, and the whole corpus if it lies beside the
project. testdata/README.md describes the folders.
"""

from __future__ import annotations

import hashlib
import lzma
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent
TESTDATA = PROJECT / "testdata"
WHOLE = PROJECT.parent / "shared" / "corpus"
MOST_EVENTS = 4000
"""The most events of a log in which each event is read by itself, slowly."""


@dataclass(frozen=True)
class Digest:
    """The record of a long output: its hash and length, without the opening comments."""

    sha256: str
    length: int

    @classmethod
    def of(cls, text: bytes) -> Digest:
        return cls(hashlib.sha256(text).hexdigest(), len(text))


@dataclass(frozen=True)
class Run:
    """One run of the reference in a scenario's folder: a [[run]] of its runs.toml."""

    scenario: Scenario
    name: str
    arguments: tuple[str, ...]
    stdout: str
    """The file with its standard output, .xz if that is compressed; .sha256 if only a `Digest` is kept."""
    status: int = 0
    stderr: str = ""
    time_zone: str = "UTC"
    stdin: tuple[str, ...] = ()
    """The files that it read from standard input, one after the other."""

    @classmethod
    def of(cls, scenario: Scenario, table: dict[str, Any]) -> Run:
        """A [[run]]. Raises ValueError for a key that is missing, or that no run has."""
        values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}
        try:
            return cls(scenario, **values)
        except TypeError as error:
            raise ValueError(f"{scenario.folder / 'runs.toml'}, run {table.get('name')}: {error}") from error

    @property
    def logs(self) -> list[str]:
        """Those of the arguments that name a file of the scenario, or standard input."""
        return [a for a in self.arguments if a == "-" or (self.scenario.folder / a).is_file()]

    @property
    def output(self) -> bytes | Digest:
        """Standard output."""
        data = (self.scenario.folder / self.stdout).read_bytes()
        if self.stdout.endswith(".sha256"):
            sha256, length = data.decode().split()
            return Digest(sha256, int(length))
        return lzma.decompress(data) if self.stdout.endswith(".xz") else data

    @property
    def standard_input(self) -> bytes:
        return b"".join((self.scenario.folder / name).read_bytes() for name in self.stdin)

    @property
    def of_mariadb_binlog(self) -> bool:
        """Return True if mariadb-binlog printed this, not mysqlbinlog."""
        of_mariadb = self.scenario.server.startswith("mariadb")
        return self.name != "mysqlbinlog97" if of_mariadb else self.name.startswith("mariadb-binlog-")

    def __repr__(self) -> str:
        return f"{self.scenario}-{self.name}"


@dataclass(frozen=True)
class Scenario:
    """One folder of the corpus: the logs of one workload on one server."""

    folder: Path

    @property
    def name(self) -> str:
        """For example "mysql-9.7/row-basic"."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def server(self) -> str:
        return self.folder.parent.name

    @cached_property
    def logs(self) -> list[Path]:
        """The binary logs in order, whatever their state."""
        return sorted(p for p in self.folder.iterdir() if "bin" in p.name and p.suffix[1:].isdigit())

    @property
    def intact(self) -> bool:
        """Return True if the logs can be read from start to end without an error."""
        return not self.folder.name.startswith(("damaged", "truncated", "trailing", "encrypted"))

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Return the runs of the reference here, by name, in the order of the file."""
        path = self.folder / "runs.toml"
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["run"] if path.exists() else _whole_runs(self.folder)
        return {run.name: run for run in (Run.of(self, table) for table in tables)}

    def expected(self, name: str) -> bytes | None:
        """Return the reference's output in the run `name`; None if there is none, or only a hash is kept."""
        output = self.runs[name].output if name in self.runs else None
        return output if isinstance(output, bytes) else None

    def __repr__(self) -> str:
        return self.name


@cache
def scenarios() -> tuple[Scenario, ...]:
    """Return every corpus folder, in order; those of the whole corpus if it is present."""
    return _scenarios(WHOLE if WHOLE.is_dir() else TESTDATA / "corpus", "*/*")


@cache
def more_scenarios(kind: str) -> tuple[Scenario, ...]:
    """The folders of testdata/`kind`: cases that the corpus does not hold."""
    return _scenarios(TESTDATA / kind, "*")


def _scenarios(root: Path, pattern: str) -> tuple[Scenario, ...]:
    return tuple(
        Scenario(folder)
        for folder in sorted(root.glob(pattern))
        if folder.is_dir() and any("bin" in p.name and p.suffix[1:].isdigit() for p in folder.iterdir())
    )


def _whole_runs(folder: Path) -> Iterator[dict[str, Any]]:
    """The same of a folder of the whole corpus, which has no runs.toml: for each run expected/NAME.args, one argument a
    line, and beside it .rc, .stderr, and the output or .same-as, which names the run with the same output."""
    files = {path.name: path for path in sorted((folder / "expected").glob("*"))}
    for name in (file.removesuffix(".args") for file in files if file.endswith(".args")):
        printed = name
        while f"{printed}.same-as" in files:
            printed = files[f"{printed}.same-as"].read_text().strip()
        stdout = next(files[file] for s in ("txt", "txt.xz", "sha256") if (file := f"{printed}.{s}") in files)
        table: dict[str, Any] = {"name": name, "stdout": str(stdout.relative_to(folder))}
        table["arguments"] = files[f"{name}.args"].read_text(encoding="utf-8").split("\n")[:-1]
        if f"{name}.rc" in files:
            table["status"] = int(files[f"{name}.rc"].read_text())
        if f"{name}.stderr" in files:
            table["stderr"] = files[f"{name}.stderr"].read_text(encoding="utf-8")
        yield table
