"""Where the tests find real binary logs: the selection in testdata, or the whole corpus where it lies beside the project."""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TESTDATA = PROJECT / "testdata"
WHOLE = PROJECT.parent / "shared" / "corpus"


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
    root = WHOLE if WHOLE.is_dir() else TESTDATA / "corpus"
    return tuple(
        Scenario(folder)
        for folder in sorted(root.glob("*/*"))
        if folder.is_dir() and any("bin" in p.name and p.suffix[1:].isdigit() for p in folder.iterdir())
    )
