"""Option files, as MySQL's programs read them."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.distribution import how_to_install
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


def test_a_file_that_any_user_may_write_is_skipped(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("\n# x\nport=3\n", "line 3 of the option file is outside any [group]"),
        ("!exclude x\n", "the option file has an invalid line that begins with !exclude"),
        ("[client]\n[client\n", "line 2 of the option file is not a valid [group]"),
    ],
)
def test_a_line_that_is_no_option_is_named(text: str, error: str, tmp_path: Path) -> None:
    path = tmp_path / "user.cnf"
    path.write_text(text)
    with pytest.raises(SourceError) as raised:
        said(OptionFiles())
    assert str(raised.value) == f"{path}: {error}"


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("a_b", "a-b", None),
        ("a=", "a", ""),
        ("a = b = c", "a", "b = c"),
        ("a='", "a", "'"),
        ("a=''", "a", ""),
        ("a='b\"", "a", "'b\""),
        ("a='b", "a", "'b"),
        ("a=b'", "a", "b'"),
        ("a='b' c", "a", "'b' c"),
        ('a="it\'s"', "a", "it's"),
        ("a=b\\tc\\xd", "a", "b\tc\\xd"),
        ("a=b\\", "a", "b\\"),
        ("a='b\\'#c' #d", "a", "b'#c"),
        ("a=b\\'#c", "a", "b'#c"),
        ("a='b\\\\'#c", "a", "b\\"),
        ("#a=b", "", None),
        ("'#a=b", "'#a", "b"),
    ],
)
def test_a_line_is_a_name_and_a_value(line: str, name: str, value: str | None) -> None:
    assert option_files.option(line) == (name, value)


@pytest.mark.parametrize(
    ("mode", "is_read"), [(0o600, True), (0o664, True), (0o645, True), (0o602, False), (0o646, False)]
)
def test_only_a_file_that_not_all_may_write_is_read(mode: int, is_read: bool, tmp_path: Path) -> None:
    path = tmp_path / "named.cnf"
    path.write_text("[client]\nhost=h\n")
    path.chmod(mode)
    assert said(OptionFiles(only=str(path))) == ([("host", "h")] if is_read else [])


@pytest.mark.parametrize(("files", "deep"), [(11, False), (12, True)])
def test_files_include_each_other_ten_times(files: int, deep: bool, tmp_path: Path) -> None:
    names = [tmp_path / f"{number}.cnf" for number in range(files)]
    for name, following in zip(names, [*names[1:], None], strict=True):
        name.write_text("[client]\nhost=h\n" if following is None else f"!include {following}\n")
    if not deep:
        assert said(OptionFiles(only=str(names[0]))) == [("host", "h")]
        return
    with pytest.raises(SourceError) as raised:
        said(OptionFiles(only=str(names[0])))
    assert str(raised.value) == f"{names[10]}: option files include each other too deeply"


@pytest.mark.parametrize(("more", "refused"), [(0, False), (1, True)])
def test_a_file_has_at_most_a_mebibyte(more: int, refused: bool, tmp_path: Path) -> None:
    path = tmp_path / "user.cnf"
    path.write_text("[client]\nhost=h\n".ljust((1 << 20) + more, "#"))
    if not refused:
        assert said(OptionFiles()) == [("host", "h")]
        return
    with pytest.raises(SourceError, match="larger than 1 MiB"):
        said(OptionFiles())


def test_a_file_that_cannot_be_opened_is_an_error_if_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A socket is there and cannot be opened."""
    path = tmp_path / "user.cnf"
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as there:
        there.bind(path.name)
        assert said(OptionFiles()) == []
        with pytest.raises(SourceError) as raised:
            said(OptionFiles(only=str(path)))
    assert str(raised.value) == f"{path}: the option file cannot be read: No such device or address"


def test_a_folder_to_include_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_text(f"!includedir {tmp_path}/none\n[client]\nhost=h\n")
    assert said(OptionFiles()) == [("host", "h")]


def test_lines_may_end_as_on_windows(tmp_path: Path) -> None:
    (tmp_path / "user.cnf").write_bytes(b"[client]\r\nhost='h'\r\n")
    assert said(OptionFiles()) == [("host", "h")]


def test_an_option_knows_its_file(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("[client]\nport=1\n")
    (tmp_path / "user.cnf").write_text(f"!include {tmp_path}/one\n[client]\nhost=h\n")
    assert [tuple(option) for option in OptionFiles().options()] == [
        ("port", "1", str(tmp_path / "one")),
        ("host", "h", str(tmp_path / "user.cnf")),
    ]


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
    with pytest.raises(SourceError, match="it is not a regular file"):
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


def test_a_login_file_is_a_file() -> None:
    with pytest.raises(SourceError) as raised:
        said(OptionFiles(login_file=os.devnull))
    assert (
        str(raised.value)
        == f"{os.devnull}: it is not a regular file. Write its data to a file first, and name that file"
    )


def test_without_cryptography_an_error_says_two_ways_out(login_file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(SourceError) as raised:
        said(OptionFiles(login_file=login_file))
    assert raised.value.message == "to read a login path file needs the package cryptography, which is not installed"
    assert raised.value.hint == f"{how_to_install('server')}; or give --no-login-paths"


def stored(*lines: bytes, key: bytes = bytes(16)) -> bytes:
    """A login path file of these lines, filled up as they are given; its key is all zeros."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    data = bytes(4) + key + bytes(4)
    for line in lines:
        cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
        data += len(line).to_bytes(4, "little") + cipher.update(line) + cipher.finalize()
    return data


def filled(line: bytes) -> bytes:
    more = 16 - len(line) % 16
    return line + bytes([more]) * more


@pytest.mark.parametrize("key", [bytes(16), bytes(range(1, 17))])
def test_lines_are_filled_up_to_blocks(key: bytes, login_file: str) -> None:
    lines = [b"[client]\n", b"user=abcdefghijk", b"\n", b"host=h\n"]
    Path(login_file).write_bytes(stored(*map(filled, lines), key=key))
    assert said(OptionFiles(login_file=login_file)) == [("user", "abcdefghijk"), ("host", "h")]


@pytest.mark.parametrize(
    "line", [bytes(16), bytes([17]) * 32, b"x" * 14 + b"\1\2", b"x" * 13 + b"\3\2\3", b"", b"x" * 16]
)
def test_a_line_that_is_filled_otherwise_is_damage(line: bytes, login_file: str) -> None:
    Path(login_file).write_bytes(stored(filled(b"[client]\n"), line))
    with pytest.raises(SourceError) as raised:
        said(OptionFiles(login_file=login_file))
    assert str(raised.value) == (
        f"{login_file}: the login path file is damaged, or none. Create one with mysql_config_editor, or give "
        "--no-login-paths"
    )


def test_a_login_file_without_paths_has_none(login_file: str) -> None:
    Path(login_file).write_bytes(stored())
    with pytest.raises(SourceError) as raised:
        said(OptionFiles(login_file=login_file, login_path="prod"))
    assert str(raised.value) == f"{login_file}: there is no login path prod. It has none"
