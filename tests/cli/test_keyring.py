"""--keyring: every command reads an encrypted log as the plain one, and shows no key."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pybinlog.cli.commands.tag import plain_only_if
from pybinlog.errors import BinlogError
from pybinlog.keyring import Keyring
from pybinlog.source import KeyedLog, open_source
from pybinlog.tag import Tagger
from tests.cli.conftest import Result, real
from tests.encryption import ENCRYPTED, plain_logs
from tests.source.test_encrypted import IN_USE_AT, not_in_use, read_all

MYSQL = ENCRYPTED / "mysql-9.7"
MARIADB = ENCRYPTED / "mariadb-cbc"
EACH = [pytest.param(log, keyrings, plain, id=f"{log.parent.name}-{log.name}") for log, keyrings, plain in plain_logs()]
each_log = pytest.mark.parametrize(("log", "keyrings", "plain"), EACH)


def given(keyrings: list[Path]) -> list[str]:
    return [f"--keyring={path}" for path in keyrings]


@pytest.fixture
def folder(tmp_path: Path, utc: None) -> Path:
    """Return a folder with the plain log under the same name, so that messages are the same."""
    (tmp_path / "plain").mkdir()
    (tmp_path / "stored").mkdir()
    return tmp_path


def both(
    folder: Path, log: Path, keyrings: list[Path], plain: Path, *arguments: str, log_options: tuple[str, ...] = ()
) -> tuple[Result, Result]:
    """Return a command's output for the encrypted log and for the plain one, in use if that was when it was copied."""
    stored = folder / "stored" / log.name
    shutil.copyfile(log, stored)
    decrypted = read_all(str(log), Keyring([str(path) for path in keyrings]))
    sent = plain.read_bytes()
    flags = decrypted[IN_USE_AT : IN_USE_AT + 1]
    (folder / "plain" / log.name).write_bytes(sent[:IN_USE_AT] + flags + sent[IN_USE_AT + 1 :])
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for place, options in ((folder / "stored", given(keyrings)), (folder / "plain", [])):
            patch.chdir(place)
            found.append(real(*arguments, *options, *log_options, log.name))
    return found[0], found[1]


@each_log
@pytest.mark.parametrize(
    "arguments",
    [
        ("dump", "-vv"),
        ("dump", "--jobs=2", "--verify-binlog-checksum"),
        ("check",),
        ("export", "--view=rows", "--format=jsonl", "-o", "-"),
        ("export", "--view=transactions", "--format=jsonl", "-o", "-"),
        ("tag", "--dry-run"),
    ],
    ids=" ".join,
)
def test_a_command_says_of_an_encrypted_log_what_it_says_of_the_plain_one(
    folder: Path, log: Path, keyrings: list[Path], plain: Path, arguments: tuple[str, ...]
) -> None:
    stored, expected = both(folder, log, keyrings, plain, *arguments)
    assert stored == expected


@each_log
def test_a_dump_begins_in_the_middle(folder: Path, log: Path, keyrings: list[Path], plain: Path) -> None:
    data = plain.read_bytes()
    at, starts = 4, []
    while at < len(data):
        starts.append(at)
        at += int.from_bytes(data[at + 9 : at + 13], "little")
    start = f"--start-position={starts[len(starts) // 2]}"
    stored, expected = both(folder, log, keyrings, plain, "dump", "--no-tbm", "-v", start)
    assert lines_of_events(stored) == lines_of_events(expected)
    assert len(lines_of_events(stored)) > 5


def lines_of_events(result: Result) -> list[bytes]:
    return [line for line in result.out.splitlines() if line.startswith((b"# at", b"#2", b"###"))]


def test_a_start_inside_an_event_is_named() -> None:
    log = MARIADB / "mariadb-bin.000002"
    result = real("dump", f"--keyring={MARIADB / 'keys'}", "--start-position=700", str(log))
    assert result.status == 1
    assert "700" in result.err


def test_standard_input_is_decrypted() -> None:
    log = MYSQL / "binlog.000001"
    keyring = f"--keyring={MYSQL / 'keyring.json'}"
    piped = real("dump", keyring, "-", stdin=log.read_bytes())
    assert piped.status == 0
    assert piped.out == real("dump", keyring, str(log)).out


def test_an_encrypted_key_file_needs_its_password() -> None:
    log, keys = str(MARIADB / "mariadb-bin.000001"), f"--keyring={MARIADB / 'keys.encrypted'}"
    opened = real("check", keys, f"--keyring-password-file={MARIADB / 'password'}", log)
    assert opened.status == 0
    refused = real("check", keys, log)
    assert "Name the file with its password: --keyring-password-file" in refused.err


def test_a_marked_copy_is_plain_only_if_that_is_wanted(tmp_path: Path) -> None:
    log = tmp_path / "binlog.000001"
    shutil.copyfile(MYSQL / "binlog.000001", log)
    keyring = f"--keyring={MYSQL / 'keyring.json'}"
    copy = tmp_path / "copy.000001"
    for arguments in (["--in-place"], [f"-o{copy}"], ["-o-"]):
        refused = real("tag", keyring, *arguments, str(log))
        assert refused.status == 1
        assert "its marked copy would be plain text" in refused.err
        assert refused.out == b""
    assert not copy.exists()
    assert log.read_bytes() == (MYSQL / "binlog.000001").read_bytes()
    assert real("tag", keyring, f"-o{copy}", "--decrypt", str(log)).status == 0
    cleared = real("tag", "--clear", "-o-", str(copy))
    assert cleared.out == (MYSQL / "plain" / "binlog.000001").read_bytes()


def test_keys_and_passwords_are_shown_nowhere(tmp_path: Path) -> None:
    """Not in errors of any kind, with and without a traceback."""
    key = (MARIADB / "keys").read_text().splitlines()[1].partition(";")[2]
    log = tmp_path / "mariadb-bin.000001"
    damaged = bytearray((MARIADB / "mariadb-bin.000001").read_bytes())
    damaged[700:720] = bytes(20)
    log.write_bytes(damaged)
    other = tmp_path / "keys"
    other.write_text(f"1;{key[::-1]}\n")
    for arguments in (
        ["dump", f"--keyring={MARIADB / 'keys'}", "-vv", str(log)],
        ["check", f"--keyring={MARIADB / 'keys'}", "--format=json", str(log)],
        ["dump", f"--keyring={other}", str(log)],
        ["dump", f"--keyring={MARIADB / 'keys'}", f"--keyring={tmp_path / 'missing'}", str(log)],
    ):
        result = real(*arguments, environ={"PYBINLOG_TRACEBACK": "1"})
        said = result.out.decode("latin-1") + result.err
        assert key not in said.lower()
        assert key[::-1] not in said.lower()


def test_no_core_file_can_hold_a_key() -> None:
    program = (
        "import resource; from pybinlog.cli.inputs import with_keyring; "
        f"with_keyring(['x'], [{str(MARIADB / 'keys')!r}], None); print(*resource.getrlimit(resource.RLIMIT_CORE))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"0", "1"}


def test_a_log_of_before_a_rotation_needs_the_keyring_of_before() -> None:
    log = str(MYSQL / "before-rotation.000001")
    after, before = (f"--keyring={MYSQL / name}" for name in ("keyring.json", "keyring-before-rotation.json"))
    missing = real("dump", after, log)
    assert missing.status == 1
    assert "which the keyring lacks: it holds MySQLReplicationKey_" in missing.err
    assert real("dump", after, before, log).status == 0


def test_a_followed_log_is_decrypted(tmp_path: Path) -> None:
    """To a stop position that is there already: nothing has to be waited for."""
    log = tmp_path / "binlog.000003"
    shutil.copyfile(MYSQL / "binlog.000003", log)
    plain = (MYSQL / "plain" / "binlog.000003").read_bytes()
    result = real(
        "dump", "--follow", f"--stop-position={len(plain)}", "--no-tbm", f"--keyring={MYSQL / 'keyring.json'}", str(log)
    )
    assert result.status == 0, result.err
    path = tmp_path / "plain" / "binlog.000003"
    path.parent.mkdir()
    path.write_bytes(not_in_use(plain))
    assert result.out == real("dump", "--no-tbm", str(path)).out


@pytest.mark.parametrize(
    "log", [MYSQL / "binlog.000001", MARIADB / "mariadb-bin.000001"], ids=lambda path: path.parent.name
)
def test_no_decrypted_byte_is_written_unless_that_is_wanted(log: Path) -> None:
    """Not to a temporary file either: what is written before the refusal stands so in the stored log."""
    keyring = Keyring([str(log.parent / ("keyring.json" if log.parent == MYSQL else "keys"))])
    written: list[bytes] = []
    with open_source(KeyedLog(str(log), keyring)) as source, pytest.raises(BinlogError, match="would be plain text"):
        Tagger().log(source, plain_only_if(False, source, written.append))
    assert log.read_bytes().startswith(b"".join(written))
