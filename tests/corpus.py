"""Where the tests find real binary logs and what the reference printed of them: testdata, and the whole corpus where it
lies beside the project. testdata/README.md tells the form of the folders."""

from __future__ import annotations

import hashlib
import lzma
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TESTDATA = PROJECT / "testdata"
WHOLE = PROJECT.parent / "shared" / "corpus"


@dataclass(frozen=True)
class Digest:
    """What is kept of a long output: its hash and length, without the opening comments."""

    sha256: str
    length: int

    @classmethod
    def of(cls, text: bytes) -> Digest:
        return cls(hashlib.sha256(text).hexdigest(), len(text))


@dataclass(frozen=True)
class OptionSet:
    """One run of the reference: expected/NAME.args and the files of that name beside it."""

    scenario: Scenario
    name: str

    def _path(self, suffix: str) -> Path:
        return self.scenario.folder / "expected" / f"{self.name}.{suffix}"

    def _read(self, suffix: str, otherwise: str) -> str:
        path = self._path(suffix)
        return path.read_text(encoding="utf-8") if path.exists() else otherwise

    @property
    def arguments(self) -> list[str]:
        return self._path("args").read_text(encoding="utf-8", errors="surrogateescape").split("\n")[:-1]

    @property
    def logs(self) -> list[str]:
        """Those of the arguments that name a file of the scenario, or standard input."""
        return [a for a in self.arguments if a == "-" or (self.scenario.folder / a).is_file()]

    @property
    def output(self) -> bytes | Digest:
        """Standard output."""
        if self._path("sha256").exists():
            sha256, length = self._path("sha256").read_text().split()
            return Digest(sha256, int(length))
        text = self.scenario.expected(self.name)
        assert text is not None, self
        return text

    @property
    def status(self) -> int:
        return int(self._read("rc", "0"))

    @property
    def standard_error(self) -> str:
        return self._read("stderr", "")

    @property
    def time_zone(self) -> str:
        return self._read("tz", "UTC").strip()

    @property
    def standard_input(self) -> bytes:
        """The files that NAME.stdin lists, one after the other."""
        return b"".join((self.scenario.folder / name).read_bytes() for name in self._read("stdin", "").split())

    @property
    def of_mariadb_binlog(self) -> bool:
        """Whether it was mariadb-binlog that printed this, not mysqlbinlog."""
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

    @property
    def logs(self) -> list[Path]:
        """The binary logs in order, whatever their state."""
        return sorted(p for p in self.folder.iterdir() if "bin" in p.name and p.suffix[1:].isdigit())

    @property
    def intact(self) -> bool:
        """Whether the logs can be read from start to end without an error."""
        return not self.folder.name.startswith(("damaged", "truncated", "trailing", "encrypted"))

    @cached_property
    def option_sets(self) -> tuple[OptionSet, ...]:
        """Each expected/NAME.args, in the order of the names."""
        return tuple(OptionSet(self, path.name[:-5]) for path in sorted((self.folder / "expected").glob("*.args")))

    def expected(self, name: str) -> bytes | None:
        """What the reference printed for the option set `name`; None where only a hash is kept."""
        folder = self.folder / "expected"
        same = folder / f"{name}.same-as"
        if same.exists():
            return self.expected(same.read_text().strip())
        if (folder / f"{name}.txt").exists():
            return (folder / f"{name}.txt").read_bytes()
        if (folder / f"{name}.txt.xz").exists():
            return lzma.decompress((folder / f"{name}.txt.xz").read_bytes())
        return None

    def __repr__(self) -> str:
        return self.name


@cache
def scenarios() -> tuple[Scenario, ...]:
    """Every corpus folder there is, in order; those of the whole corpus where it is present."""
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
