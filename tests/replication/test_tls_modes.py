"""TLS with a server that has none: tried first by default, and required if an option says so."""

import pytest

from tests.cli.conftest import real
from tests.mirror.scripted_server import ScriptedServer, Session
from tests.mirror.test_mirror import FOUR

pytest.importorskip("pymysql", reason="needs PyMySQL")

LOG = "binlog.000001"


@pytest.mark.parametrize(
    ("mode", "status"),
    [([], 0), (["--ssl-mode=PREFERRED"], 0), (["--ssl-mode=DISABLED"], 0), (["--ssl-mode=REQUIRED"], 1)],
    ids=str,
)
def test_a_server_without_tls_is_read_unless_tls_is_required(mode: list[str], status: int) -> None:
    with ScriptedServer(dict(FOUR)) as server:
        result = real("dump", "-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", *mode, LOG)
    assert result.status == status
    assert (b"# at 4\n" in result.out) == (status == 0)
    assert ("SSL is required" in result.err) == (status == 1)


NOT_VERIFIED = (
    "WARNING: no verification of server certificate will be done. Use --ssl-mode=VERIFY_CA or VERIFY_IDENTITY.\n"
)


@pytest.mark.parametrize(
    ("options", "is_warned"),
    [
        (["--ssl-mode=DISABLED", "--ssl-ca=ca.pem"], True),
        (["--ssl-mode=preferred", "--ssl-capath=."], True),
        (["--ssl-mode=DISABLED", "--ssl-cert=cert.pem"], False),
        (["--ssl-mode=PREFERRED"], False),
    ],
    ids=str,
)
def test_authorities_that_are_not_used_are_a_warning(options: list[str], is_warned: bool) -> None:
    with ScriptedServer(dict(FOUR)) as server:
        result = real("dump", "-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", *options, LOG)
    assert result.err == (NOT_VERIFIED if is_warned else "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--read-from-remote-master=BINLOG-DUMP-NON-GTIDS", "read-from-remote-source"),
        ("--stop-never-slave-server-id=7", "connection-server-id"),
        ("--compress", "compression-algorithms"),
    ],
)
def test_an_old_name_of_an_option_is_a_warning(old: str, new: str) -> None:
    with ScriptedServer(dict(FOUR)) as server:
        result = real("dump", "-R", "--no-defaults", "-h127.0.0.1", f"-P{server.port}", "-uu", old, LOG)
    name = old.partition("=")[0]
    assert result.err.splitlines()[0] == (
        f"WARNING: {name} is deprecated and will be removed in a future version. Use --{new} instead."
    )
    assert b"# at 4\n" in result.out


@pytest.mark.parametrize("mode", ["PREFERRED", "REQUIRED"])
def test_a_password_is_not_sent_before_tls_was_tried(mode: str) -> None:
    """A server that ends the connection at once is not asked again without TLS."""
    accepted = []

    def on_accept(session: Session) -> None:
        accepted.append(session)

    with ScriptedServer(dict(FOUR)) as server:
        server.on_accept = on_accept
        result = real(
            *("dump", "-R", "--no-defaults", "--connect-timeout=2", "-h127.0.0.1", f"-P{server.port}", "-uu"),
            *(f"--ssl-mode={mode}", LOG),
        )
    assert result.status == 1
    assert len(accepted) == 1
