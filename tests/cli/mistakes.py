"""The files that mistakes.toml is about, and the program run on them.

`.venv/bin/python -m tests.cli.mistakes` writes what is printed now into mistakes.toml: read every line that changed.
"""

import gzip
import io
import os
import shlex
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pybinlog.cli.environment import Environment
from pybinlog.cli.main import run
from tests.cli.conftest import Output
from tests.corpus import PROJECT, scenarios

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIST = PROJECT / "tests" / "cli" / "mistakes.toml"


@dataclass(frozen=True)
class Mistake:
    what: str
    command: str
    status: int
    printed: str
    """On standard error."""
    text: bool = False
    """True if there is also text on standard output."""


def mistakes() -> list[Mistake]:
    return [Mistake(**table) for table in tomllib.loads(LIST.read_text(encoding="utf-8"))["mistake"]]


def tarred(name: str, content: bytes) -> bytes:
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return output.getvalue()


def prepare(folder: Path) -> None:
    """The files that the commands name, in a folder."""
    basic = log("row-basic")
    files = {
        "binlog.000001": basic,
        "binlog.000002": log("rows-query"),
        "binlog.index": b"./binlog.000001\n./binlog.000002\n",
        "stale.index": b"./binlog.000001\n./binlog.000007\n",
        "dump.sql": b"-- MySQL dump 10.13\nCREATE TABLE t (a INT);\n",
        "dump.sql.gz": gzip.compress(b"-- MySQL dump 10.13\nCREATE TABLE t (a INT);\n", mtime=0),
        "ibdata1": bytes(16384),
        "binlog.000001.lz4": b"\x04\x22\x4d\x18\x64\x40\xa7" + bytes(100),
        "logs.zip": b"PK\3\4" + bytes(300),
        "logs.tar": tarred("binlog.000001", basic),
        "logs.tar.gz": gzip.compress(tarred("binlog.000001", basic), mtime=0),
        "binlog-000000.ibb": b"\xfe\xfe\x0d\x01" + bytes(508),
        "empty.000001": b"",
        "encrypted.000001": b"\xfdbin" + bytes(508),
        "cut.000001": log("truncated-body"),
        "damaged.000001": log("damaged-body"),
        "in-use.000001": log("in-use"),
        "no-permission.000001": basic,
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "no-permission.000001").chmod(0)
    (folder / "empty-folder").mkdir()


def log(scenario: str) -> bytes:
    return next(s for s in scenarios() if s.name == f"mysql-9.7/{scenario}").logs[0].read_bytes()


def made(mistake: Mistake) -> Mistake:
    """Run the program with it, in the current folder."""
    arguments = [os.fsdecode(word.encode("latin-1")) for word in shlex.split(mistake.command)]
    out, err = Output(), io.StringIO()
    status = run(arguments, Environment(stdin=io.BytesIO(), stdout=out, stderr=err))
    printed = err.getvalue().encode("utf-8", "surrogateescape").decode("latin-1")
    return Mistake(mistake.what, mistake.command, int(status), printed, bool(out.getvalue()))


HEAD = """\
# Mistakes that people make, and what pybinlog prints then, on standard error. The files are those of mistakes.py. Of
# each: does it say what is wrong, where, and what to do? `text = true`: there is something on standard output, too.
"""


def main() -> None:
    tables = [HEAD]
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        os.chdir(folder)
        for mistake in mistakes():
            now = made(mistake) if mistake.what != "a log without permission" else mistake
            printed = now.printed.replace("\\", "\\\\").rstrip("\n")
            lines = [f"what = {quoted(now.what)}", f"command = {quoted(now.command)}", f"status = {now.status}"]
            lines += [f'printed = """\n{printed}\n"""', *(["text = true"] if now.text else [])]
            tables.append("\n[[mistake]]\n" + "\n".join(lines) + "\n")
    LIST.write_text("".join(tables), encoding="utf-8")


def quoted(text: str) -> str:
    return f"'{text}'" if "'" not in text else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    main()
