r"""An undo and a redo run by the servers' own clients, set up in ways that make a command of the client of a value.

A client finds the end of a value, or a name, in its own character set. In gbk, big5, sjis and cp932, the last byte of
U+3001 takes a backslash after it into one character: then `、\'` ends the value, and `\! touch FILE` may follow.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import real
from tests.corpus import TESTDATA
from tests.server import REFERENCE, ROOTS, SCRIPTS, Server, running
from tests.undo.runs import ARGUMENTS
from tests.undo.session import Session

pytest.importorskip("pymysql", reason="needs PyMySQL")

CHARACTER_SETS = ["gbk", "big5", "sjis", "cp932"]
WAYS = ["piped", "binary-mode", "option-file", "source"]
PIECES = [
    *"、表ソÄaé𝄞",
    "'",
    "\\",
    '"',
    "`",
    ";",
    "\n",
    "--",
    "/*",
    "\\'",
    "\\! touch {file} #",
    "\nDELIMITER x\n",
    "\t",
]
HOSTILE = [
    "、'、\\! touch {file} #",
    "ソ\\'\n\\! touch {file}\n",
    "表\\",
    "、\\';\nsystem touch {file}\n",
    "Ä'Ä",
    "a\\'b\nc",
]
NAME = "、`\\! touch /tmp/made-by-a-value #"
"""The name of a table and of a column."""
VALUES = 40
Rows = list[tuple[str | None, ...]]


@pytest.fixture(scope="module", params=list(ARGUMENTS))
def server(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    with running(request.param, f"clients-{request.param}", *ARGUMENTS[request.param]) as server:
        yield request.param, server


@pytest.fixture(scope="module")
def scripts(server: tuple[str, Server]) -> tuple[dict[str, bytes], Rows]:
    """The undo of a DELETE of hostile values, as both formats, and its redo; the rows, which are gone."""
    kind, running_server = server
    session = Session(kind, running_server.socket())
    random, file = Random(kind), forbidden(kind).name
    values = [text.replace("{file}", f"/tmp/{file}") for text in HOSTILE]
    values += [
        "".join(random.choices(PIECES, k=random.randint(1, 8))).replace("{file}", f"/tmp/{file}")
        for _ in range(VALUES - len(HOSTILE))
    ]
    quoted = NAME.replace("`", "``")
    log, _ = session.position()
    session.run("CREATE DATABASE d")
    session.run(
        f"CREATE TABLE d.`{quoted}` (`{quoted}` INT PRIMARY KEY, v VARCHAR(200) CHARACTER SET utf8mb4, j JSON,"
        " e ENUM('、\\\\','''、') CHARACTER SET utf8mb4, b BLOB)"
    )
    for number, value in enumerate(values):
        text = f"X'{value.encode().hex()}'"
        session.run(
            f"INSERT INTO d.`{quoted}` VALUES ({number}, CONVERT({text} USING utf8mb4), "
            f"JSON_ARRAY(CONVERT({text} USING utf8mb4)), {number % 2 + 1}, {text})"
        )
    rows = state(kind, running_server)
    session.run(f"DELETE FROM d.`{quoted}`")
    session.run("FLUSH BINARY LOGS")
    session.close()
    made = {}
    for command, *options in (["undo"], ["redo"], ["undo", "--format=binlog"]):
        result = real(command, *options, "--operation=delete", str(running_server.folder() / log))
        assert (result.status, result.err) == (0, "")
        made[" ".join([command, *options])] = result.out
    return made, rows


def forbidden(kind: str) -> Path:
    """The file that the values would make, as this machine sees it."""
    return ROOTS[kind] / "tmp" / "made-by-a-value"


def run(kind: str, server: Server, text: bytes, character_set: str, way: str) -> str:
    """Run a script with the server's client; return its errors."""
    program = "mysql" if kind == "mysql" else "mariadb"
    setting = f"--default-character-set={character_set}"
    obeys = ["--commands", "--system-command"] if kind == "mysql" else []
    folder = ROOTS[kind] / "tmp"
    if way == "option-file":
        (folder / "client.cnf").write_text(f"[client]\ndefault-character-set={character_set}\n")
        arguments = ["--defaults-file=/tmp/client.cnf", *obeys]
    elif way == "binary-mode":
        arguments = ["--no-defaults", setting, "--binary-mode"]
    else:
        arguments = ["--no-defaults", setting, *obeys]
    if way == "source":
        (folder / "script.sql").write_bytes(text)
        text = b"source /tmp/script.sql\n"
    command = [str(REFERENCE / SCRIPTS[kind][0]), "run", program, *arguments, "-uroot", f"-S/tmp/{server.name}.sock"]
    return subprocess.run(command, input=text, capture_output=True, timeout=120, check=False).stderr.decode()


def state(kind: str, server: Server) -> Rows:
    session = Session(kind, server.socket())
    quoted = NAME.replace("`", "``")
    rows = session.select(f"SELECT `{quoted}`, HEX(v), HEX(b), HEX(j), e + 0 FROM d.`{quoted}`")
    session.close()
    return rows


@pytest.mark.parametrize("log", ["mysql-client-charset.000001", "mariadb-client-charset.000001"])
def test_a_script_sets_the_client_before_its_first_comment(log: str) -> None:
    path = str(TESTDATA / "undo" / log)
    for command, *options in (["undo"], ["redo"], ["undo", "--format=binlog"]):
        assert real(command, *options, path).out.startswith(b"\\C utf8mb4\n-- ")
    assert b"(1, _utf8mb4 X'E3808127E380815C" in real("undo", path).out
    assert real("undo", "--dry-run", path).out.startswith(b"-- undo of")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("character_set", CHARACTER_SETS)
def test_no_value_leaves_its_quotes(
    server: tuple[str, Server], scripts: tuple[dict[str, bytes], Rows], character_set: str, way: str
) -> None:
    kind, running_server = server
    forbidden(kind).unlink(missing_ok=True)
    texts, rows = scripts
    for undo in ("undo", "undo --format=binlog"):
        assert run(kind, running_server, texts[undo], character_set, way) == ""
        assert state(kind, running_server) == rows
        assert run(kind, running_server, texts["redo"], character_set, way) == ""
        assert state(kind, running_server) == []
    assert not forbidden(kind).exists()
