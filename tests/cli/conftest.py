"""The program run in process, in an environment made for it."""

import io
import os
import pty
import re
import shutil
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import pytest

from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from pybinlog.dump.options import DumpOptions
from pybinlog.feed.remarks import Remarks
from tests.corpus import TESTDATA


@dataclass
class Result:
    """The output of one run of the program; `names` and `options` are those of the dump."""

    status: int
    out: bytes
    err: str
    names: list[str] = field(default_factory=list)
    options: DumpOptions | None = None
    asked: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def dumped(self) -> bool:
        return self.options is not None


class Output(io.BytesIO):
    """Standard output that can still be read after the program is done with it."""

    def close(self) -> None:
        pass


def without_remark(err: str) -> str:
    """Return what standard error got, but for the remark about rows that statements changed."""
    remark = r"^WARNING: [\d,]+ statements? (?:may have )?changed rows that the logs do not contain.*\n"
    return re.sub(remark, "", err, count=1, flags=re.MULTILINE)


def real(*arguments: str, stdin: bytes = b"", **environment: Any) -> Result:
    """The program as it is."""
    out, err = Output(), io.StringIO()
    status = run(arguments, Environment(stdin=io.BytesIO(stdin), stdout=out, stderr=err, **environment))
    return Result(status, out.getvalue(), err.getvalue())


@contextmanager
def without_dump(instead: Callable[..., object] = lambda *_, **__: Remarks()) -> Iterator[None]:
    """Call this function instead of the dump; no log is opened."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pybinlog.dump.run", instead)
        patch.setattr("pybinlog.cli.inputs.Inputs.look_at", lambda self: None)
        patch.setattr("pybinlog.dump.follow.Follower.look_at", lambda self, name: None)
        patch.setattr("pybinlog.cli.dump_warnings.has_filters", lambda options: False)
        yield


def parsed(
    *arguments: str, text: bytes = b"", action: Callable[..., object] | None = None, **environment: Any
) -> Result:
    """The program without the dump: writes `text` in its place, calls `action`, and records names and options."""
    asked: dict[str, Any] = {}

    def record(names: list[str], options: DumpOptions, **rest: Any) -> Remarks:
        asked.update(names=names, options=options, **rest)
        rest["output"].write(text)
        if action is not None:
            action(**rest)
        return Remarks()

    with without_dump(record):
        result = real(*arguments, **environment)
    result.asked = asked
    result.names = asked.get("names", [])
    result.options = asked.get("options")
    return result


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Help texts are wrapped at the width of the terminal: let every machine have the same one."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    """Local time is UTC."""
    with zone("UTC"):
        yield


@contextmanager
def zone(name: str) -> Iterator[None]:
    """Let local time be that of a time zone, here and in processes that a test starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", name)
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def terminal() -> Iterator[tuple[int, TextIO]]:
    """The other end of a terminal that changes no characters, and the terminal."""
    controller, descriptor = pty.openpty()
    tty.setraw(descriptor)
    stream = os.fdopen(descriptor, "w", encoding="utf-8")
    yield controller, stream
    with suppress(OSError):
        stream.close()
    with suppress(OSError):
        os.close(controller)


def shown_on(terminal: tuple[int, TextIO]) -> str:
    """Close the terminal, and return what was written to it."""
    controller, stream = terminal
    stream.close()
    pieces = []
    with suppress(OSError):  # Linux: the other end is closed
        while piece := os.read(controller, 1 << 16):
            pieces.append(piece)
    return b"".join(pieces).decode()


@pytest.fixture
def questions_folder(tmp_path: Path) -> Path:
    """The logs that the commands of docs/questions.md and docs/sql.md name."""
    corpus = TESTDATA / "corpus" / "mysql-9.7"
    shutil.copy(corpus / "xa" / "binlog.000001", tmp_path / "xa.000001")
    shutil.copy(corpus / "compression" / "binlog.000001", tmp_path / "payload.000001")
    shutil.copy(TESTDATA / "shop" / "binlog.000002", tmp_path / "shop.000002")
    for log in (corpus / "multi-file").glob("binlog.0*"):
        shutil.copy(log, tmp_path)
    return tmp_path
