"""Logs: the files that are timed: real ones repeated up to a size, and those that a server writes for it."""

import lzma
import math
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

import pybinlog
from pybinlog import EventType
from tests.corpus import TESTDATA, WHOLE
from tests.inflate import inflate
from tests.server import listening, running

MEBIBYTE = 1 << 20
USUAL = 256
"""MiB of a log by default."""
SOURCES = {
    "large": ("mysql-9.7/large", "mysql-9.7/row-basic"),
    "large-rows": ("mysql-9.7/large-rows",),
    "statement": ("mysql-9.7/statement",),
    "compressed": ("mysql-9.7/compression",),
    "mariadb": ("mariadb-11.8/large", "mariadb-11.8/row"),
    "mariadb-statement": ("mariadb-11.8/statement",),
    "mariadb-compressed": ("mariadb-11.8/large-compressed", "mariadb-11.8/compressed"),
    "mariadb-undo": ("mariadb-11.8/large", "mariadb-11.8/row"),
    "small": ("mysql-9.7/row-basic",),
}
"""The scenarios of the corpus a log is made from, the first that is there: small OLTP transactions that change rows,
row events of 8 KiB and more, statements, transactions in zstd payloads; of MariaDB the same small transactions,
statements, and single events that are compressed (--log-bin-compress); and a log to be read as it is."""
ONLY_ROWS = {"mariadb-undo"}
"""Logs without the statements that define tables: they cannot be undone."""
WIDE, NARROW, SMALL = 1 << 19, 1 << 23, 4500
"""The rows of 1 KB (500 MB), the narrow rows (90 MB), and the small logs that a server writes, for the usual size."""


class LogMissing(Exception):
    """The corpus does not hold what the log is made from, or there is no server to write it."""


def program() -> str:
    """Return the program under test: PYBINLOG, or the one that belongs to this interpreter."""
    script = Path(sys.executable).with_name("pybinlog")
    return os.environ.get("PYBINLOG") or (str(script) if script.exists() else f"{sys.executable} -m pybinlog")


class Tool:
    """A server's own program for its logs: that of the environment, of the folder of a server, or on the path.

    A program in the folder of a server runs in a chroot, and `root` is the command for that; else it is "".
    """

    def __init__(self, name: str, variable: str, folder: str):
        chosen, self.chroot = os.environ.get(variable, ""), os.environ.get(folder, "")
        if chosen or not self.chroot:
            self.chroot = ""
        self.root = f"chroot {shlex.quote(self.chroot)} " if self.chroot else ""
        self.is_there = bool(chosen or self.chroot or shutil.which(name))
        self.name = f"{chosen or name} --no-defaults"

    def __str__(self) -> str:
        return self.root + self.name


@dataclass(frozen=True)
class Log:
    """One log, or a folder of logs; as a text, the words that name it for pybinlog, and `inner` for the reference."""

    words: str
    inner: str
    size: int
    folder: Path
    last_transaction: int = 4
    template: bytes = b""
    copy: str = ""
    """The beginning of the name of the reference's copy."""

    def __str__(self) -> str:
        return self.words

    @cached_property
    def quarter(self) -> Path:
        """A log of a quarter of the size."""
        path = Path(f"{self.words}.quarter")
        with path.open("wb") as out:
            inflate(self.template, out, self.size // 4)
        return path

    @cached_property
    def before(self) -> Path:
        """A small log with rows of the same tables. The log is beside it, as the next of its series."""
        path = Path(f"{self.words}.scan.000001")
        with path.open("wb") as small:
            inflate(self.template, small, 1 << 12, only_committed=True)
        os.link(self.words, path.with_suffix(".000002"))
        return path

    @cached_property
    def zstd(self) -> Path:
        """The log compressed with zstd, beside it."""
        import zstandard

        path = Path(f"{self.words}.zst")
        with open(self.words, "rb") as plain, path.open("wb") as compressed:
            zstandard.ZstdCompressor(level=3).copy_stream(plain, compressed)
        return path


class Logs:
    """The logs of one run by name, each made at its first use; `stack` removes them, and ends the servers."""

    def __init__(self, stack: ExitStack, mebibytes: float, folder: Path | None = None):
        self.tools = {
            "mysql": Tool("mysqlbinlog", "MYSQLBINLOG", "MYSQL97_ROOT"),
            "mariadb": Tool("mariadb-binlog", "MARIADB_BINLOG", "MARIADB118_ROOT"),
        }
        self._stack = stack
        self._mebibytes = mebibytes
        self._folder = folder
        self._folders: dict[str, Path] = {}
        self._of_server: dict[str, Log] = {}

    def get(self, name: str) -> Log:
        """Return the log. Raise LogMissing if it cannot be made."""
        kind = "mariadb" if name.startswith("mariadb") else "mysql"
        if name in SOURCES or name == "large-4x":
            return self._inflated(name, kind)
        if name not in self._of_server:
            try:
                self._send() if name == "server" else self._write(kind)
            except pytest.skip.Exception as reason:
                raise LogMissing(str(reason)) from None
        return self._of_server[name]

    def folder(self, kind: str) -> Path:
        """Return the folder for logs, which that server's tool can read, too."""
        if kind not in self._folders:
            chroot = self.tools[kind].chroot
            made = tempfile.TemporaryDirectory(
                prefix="pybinlog-bench-", dir=f"{chroot}/tmp" if chroot else self._folder
            )
            self._folders[kind] = Path(self._stack.enter_context(made))
        return self._folders[kind]

    def _inflated(self, name: str, kind: str) -> Log:
        path = self.folder(kind) / f"{name}.000001"
        for old in path.parent.glob("*.0*"):
            old.unlink()  # it would only fill the page cache
        template = source(name.removesuffix("-4x"))
        last = 4
        with path.open("wb") as out:
            if name == "small":
                out.write(template)
            else:
                size = int(self._mebibytes * MEBIBYTE) * (4 if name.endswith("-4x") else 1)
                last = inflate(template, out, size, only_committed=name in ONLY_ROWS)
            out.flush()
            os.fsync(out.fileno())  # it must not be written while something is timed
        return Log(str(path), self._inner(kind, path), path.stat().st_size, path.parent, last, template)

    def _inner(self, kind: str, path: Path) -> str:
        return str(path).removeprefix(self.tools[kind].chroot)

    def _write(self, kind: str) -> None:
        """Let a server write logs: two that statements of many rows fill, and many small ones."""
        row_format = ["--binlog-format=ROW"] if kind == "mariadb" else []
        server = self._stack.enter_context(running(kind, "bench", "--max-binlog-size=1G", *row_format))
        prefix, data = "" if kind == "mysql" else "mariadb-", server.folder()
        scale = self._mebibytes / USUAL
        server.sql("CREATE DATABASE b")
        for name, columns, values, rows in (
            ("wide", "v VARCHAR(1000) CHARACTER SET latin1, k INT", "REPEAT(SHA2(RAND(), 256), 15), 1", WIDE),
            ("narrow", "v INT, k SMALLINT", "id, id % 30000", NARROW),
        ):
            log = server.next_log()
            server.sql(f"CREATE TABLE {name} (id INT AUTO_INCREMENT PRIMARY KEY, {columns})", "b")
            server.sql(f"INSERT INTO {name} (v, k) VALUES (1, 1)", "b")
            for _ in range(max(1, round(math.log2(rows * scale)))):
                server.sql(f"INSERT INTO {name} (v, k) SELECT {values} FROM {name}", "b")
            self._of_server[f"{prefix}bulk-{name}"] = self._sent(kind, data / log)
        log = server.next_log()
        small = "INSERT INTO wide (v, k) SELECT v, k FROM wide WHERE id <= 4;" * 4 + "FLUSH BINARY LOGS;"
        server.sql(small * max(1, int(SMALL * scale)), "b")
        end = server.next_log()
        (data / "small").mkdir()
        for path in data.glob("binlog.*[0-9]"):
            if log <= path.name < end:
                os.link(path, data / "small" / path.name)
        self._of_server[f"{prefix}small-logs"] = self._sent(kind, data / "small")

    def _sent(self, kind: str, path: Path) -> Log:
        files = list(path.iterdir()) if path.is_dir() else [path]
        return Log(str(path), self._inner(kind, path), sum(file.stat().st_size for file in files), path.parent)

    def _send(self) -> None:
        """Let a server send a log with the events of small transactions, a third of the usual size."""
        port, listens = listening()
        gtids = ("--gtid-mode=ON", "--enforce-gtid-consistency=ON")
        server = self._stack.enter_context(running("mysql", "bench-send", *listens, *gtids))
        server.next_log()
        path = server.folder() / "binlog.000001"  # the log that it is made from names the same next one
        with path.open("r+b") as out:  # the server's own file, which it has closed
            inflate(source("large"), out, int(self._mebibytes * MEBIBYTE / 3))
        server.sql("SET sql_log_bin=0;" + definitions(source("large")))
        words = f"-h127.0.0.1 --port={port} -uroot {path.name}"
        copy = self._inner("mysql", path.parent / "copy-")
        self._of_server["server"] = Log(
            f"--no-defaults {words}", words, path.stat().st_size, self.folder("mysql"), copy=copy
        )


def definitions(log: bytes) -> str:
    """Return the statements of a log that create databases and tables: some readers ask the server for columns."""
    found = ""
    with pybinlog.open(log) as events:
        for event in events:
            if event.type is EventType.QUERY and event.body.query.startswith(b"CREATE "):
                used = f"USE {event.body.db};" if b" TABLE " in event.body.query else ""
                found += f"{used}{event.body.query.decode()};"
    return found


def source(name: str) -> bytes:
    """Return the log that the log of this name is made from. Raise LogMissing if no scenario is there."""
    for scenario in SOURCES[name]:
        for root in (WHOLE, TESTDATA / "corpus"):
            for path in sorted((root / scenario).glob("*bin*.000*")):
                data = path.read_bytes()
                return lzma.decompress(data) if path.suffix == ".xz" else data
    raise LogMissing(f"{' and '.join(SOURCES[name])} not found in testdata/corpus or ../shared/corpus")
