"""Option files, as MySQL's programs read them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pybinlog.errors import SourceError
from pybinlog.replication import option_files
from pybinlog.replication.option_files import OptionFiles
from tests.corpus import TESTDATA
from tests.server import REFERENCE, SCRIPTS

QUOTING = TESTDATA / "option-files" / "quoting.cnf"
LOGIN_FILE = TESTDATA / "option-files" / "mylogin.cnf"


@pytest.fixture(autouse=True)
def places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The files of the system and of the user."""
    monkeypatch.setattr(option_files, "GLOBAL_FILES", (str(tmp_path / "global.cnf"),))
    monkeypatch.setattr(option_files, "USER_FILE", str(tmp_path / "user.cnf"))
    monkeypatch.setenv("HOME", str(tmp_path))


def said(files: OptionFiles) -> list[tuple[str, str | None]]:
    """Names and values, without the files that have them."""
    return [(option.name, option.value) for option in files.options()]


def test_groups_names_values_quotes_comments_and_escapes(tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_text(
        '# a comment\n; another\n[mysqld]\nport=1\n[client]\nport = 3307 # not this\nuser="a b # c"\n'
        "ssl_ca = 'x y'\nget-server-public-key\npassword=a#b\n[mysqlbinlog]\nhost=h\\sh\\\\\n[other]\nhost=no\n"
    )
    assert said(OptionFiles()) == [
        ("port", "3307"),
        ("user", "a b # c"),
        ("ssl-ca", "x y"),
        ("get-server-public-key", None),
        ("password", "a"),
        ("host", "h h\\"),
    ]


def test_the_order_of_files_and_which_are_read(tmp_path: Path) -> None:
    for name in ("global", "extra", "user"):
        (tmp_path / f"{name}.cnf").write_text(f"[client]\nhost={name}\n[client_two]\nport=2\n")
    extra = str(tmp_path / "extra.cnf")
    assert [text for _, text in said(OptionFiles(extra=extra))] == ["global", "extra", "user"]
    assert said(OptionFiles(only=extra)) == [("host", "extra")]
    assert said(OptionFiles(only=extra, suffix="_two")) == [("host", "extra"), ("port", "2")]
    assert said(OptionFiles(none=True)) == []


def test_files_are_included_in_their_place(tmp_path: Path) -> None:
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "b.cnf").write_text("[client]\nhost=b\n")
    (folder / "a.cnf").write_text("[client]\nhost=a\n")
    (folder / "c.txt").write_text("[client]\nhost=c\n")
    (folder / "d.ini").write_text("[client]\nhost=d\n")
    (tmp_path / "one").write_text("[client]\nhost=one\n")
    (tmp_path / "user.cnf").write_text(
        f"[client]\nhost=first\n!include {tmp_path}/one\n!include {tmp_path}/none\n!includedir {folder}\nport=5\n"
    )
    assert [text for _, text in said(OptionFiles())] == ["first", "one", "a", "b", "d", "5"]


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        said(OptionFiles(only=str(tmp_path / "none")))
    bad = tmp_path / "bad.cnf"
    for text, sentence in (
        ("port=3\n", "line 1 .* is outside any"),
        ("!exclude x\n", "begins with !exclude"),
        ("\n[client\n", "line 2 .* is not a valid"),
    ):
        bad.write_text(text)
        with pytest.raises(SourceError, match=sentence):
            said(OptionFiles(only=str(bad)))
    bad.write_text(f"!include {bad}\n")
    with pytest.raises(SourceError, match="too deep"):
        said(OptionFiles(only=str(bad)))


def test_a_file_that_anybody_may_write_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_text("[client]\nhost=evil\n")
    (tmp_path / "user.cnf").chmod(0o666)
    assert said(OptionFiles()) == []


QUOTED = [
    *("a", "a", "a # b", 'x "y" z', 'a"b', "a'b'c", "a'b", "\n\t\b \\\\q|", 'a"b # c"d', '"unclosed', '"a" b'),
    *("a'b", "", "", "a\\", "a\\", "sp aced"),
]
"""The users of quoting.cnf, as both servers' programs print them."""


def test_quotes_comments_and_escapes_are_those_of_the_servers_programs() -> None:
    found = said(OptionFiles(only=str(QUOTING), no_login_paths=True))
    assert [text for name, text in found if name == "user"] == QUOTED
    assert found[-1] == ("host", "h1")  # "[ client ]" is another group


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_real_program_prints_the_same_users(kind: str, tmp_path: Path) -> None:
    script, variable, program = SCRIPTS[kind]
    root = os.environ.get(variable)
    if not (REFERENCE / script).exists() or root is None or not Path(root, program).exists():
        pytest.skip(f"needs {script} and {variable}")
    client = "mysqlbinlog" if kind == "mysql" else "mariadb-binlog"
    command = (
        f'cat > /tmp/{tmp_path.name}.cnf; {client} --defaults-file=/tmp/{tmp_path.name}.cnf --print-defaults; rm "$0"'
    )
    done = subprocess.run(
        [REFERENCE / script, "run", "sh", "-c", command, f"/tmp/{tmp_path.name}.cnf"],
        input=QUOTING.read_bytes(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    users = done.stdout.decode().split(" --host")[0].split("--user=")[1:]
    assert [user.removesuffix(" ") for user in users][: len(QUOTED)] == [*QUOTED[:-1], QUOTED[-1] + " --user_name=x"]


# ---- login paths


@pytest.fixture
def login_file(tmp_path: Path) -> str:
    copy = tmp_path / "mylogin.cnf"
    copy.write_bytes(LOGIN_FILE.read_bytes())
    copy.chmod(0o600)
    return str(copy)


CLIENT = [("user", "from client"), ("password", "Gehe1m-zz'9"), ("host", "127.0.0.1"), ("port", "3307")]
PROD = [
    ("user", "reader"),
    ("password", "a#b\"c\\d 'ü;"),
    ("host", "db1"),
    ("socket", "/tmp/a b.sock"),
    ("port", "33061"),
]


def test_login_paths_come_after_all_other_files(login_file: str, tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_text("[client]\nhost=first\n")
    first = [("host", "first")]
    assert said(OptionFiles(login_file=login_file)) == [*first, *CLIENT]
    assert said(OptionFiles(login_file=login_file, none=True)) == CLIENT
    assert said(OptionFiles(login_file=login_file, login_path="prod")) == [*first, *CLIENT, *PROD]
    both = said(OptionFiles(login_file=login_file, none=True, login_path="prod", suffix="_two"))
    assert both == [*CLIENT, *PROD, ("host", "db2")]
    assert said(OptionFiles(login_file=login_file, no_login_paths=True)) == first


WRITTEN = ["a\nb", 'a"b', 'a\\"b', "a\\b", "a'b", "a\\qb", "a#b", "a b", '"a"', "ü", "a b", "ends\\"]
"""The users of p0 to p11, as mysqlbinlog prints them."""


@pytest.mark.parametrize(("path", "user"), [(f"p{number}", user) for number, user in enumerate(WRITTEN)])
def test_what_the_editor_wrote_reads_as_for_the_reference(path: str, user: str, login_file: str) -> None:
    assert said(OptionFiles(login_file=login_file, none=True, login_path=path)) == [*CLIENT, ("user", user)]


def test_a_login_path_or_file_that_is_not_there(login_file: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no login path nope") as raised:
        said(OptionFiles(login_file=login_file, login_path="nope"))
    assert "client, mysqlbinlog, prod" in str(raised.value.hint)
    none = str(tmp_path / "none.cnf")
    assert said(OptionFiles(login_file=none)) == []
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        said(OptionFiles(login_file=none, login_path="prod"))


def test_a_login_file_that_others_may_read_is_refused(login_file: str, tmp_path: Path) -> None:
    for mode in (0o640, 0o604, 0o700, 0o660):
        os.chmod(login_file, mode)
        with pytest.raises(SourceError, match="others than its owner") as raised:
            said(OptionFiles(login_file=login_file))
        assert "chmod 600" in str(raised.value.hint)
        assert said(OptionFiles(login_file=login_file, no_login_paths=True)) == []
    with pytest.raises(SourceError, match="cannot be read: Is a directory"):
        said(OptionFiles(login_file=str(tmp_path)))


def test_a_damaged_login_file_is_an_error_that_shows_nothing_of_it(login_file: str) -> None:
    data = LOGIN_FILE.read_bytes()
    harms = [data[:10], data[:-1], data[:30], data[:24] + b"\xff" * 4 + data[28:], data[:24] + b"\x11" + data[25:]]
    harms += [data[:5] + bytes([data[5] ^ 1]) + data[6:], data + b"\0\0\0\0", b"x" * (1 << 21)]
    for harm in harms:
        Path(login_file).write_bytes(harm)
        with pytest.raises(SourceError, match="damaged") as raised:
            said(OptionFiles(login_file=login_file))
        assert "Gehe1m" not in str(raised.value)
    Path(login_file).write_bytes(data[:24])
    assert said(OptionFiles(login_file=login_file)) == []
