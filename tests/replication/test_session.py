"""Logins by the plugins that PyMySQL lacks, or has not as safely: what a server receives and what it does not."""

import getpass
import ssl
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pymysql", reason="needs PyMySQL")
pytest.importorskip("cryptography", reason="needs cryptography")

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pybinlog.distribution import how_to_install
from pybinlog.errors import BinlogError, ServerError, SourceError
from pybinlog.replication import session as module
from pybinlog.replication.connection import KEY_HINT, Connection
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.replication.session import NOT_A_KEY, login_name, public_key
from tests.mirror.scripted_server import OK, ScriptedServer, Session
from tests.replication.certificates import Authority
from tests.replication.hostile import switch

SALT = b"12345678abcdefghijkl"


class Login:
    """A server that switches to a plugin, and what it received then; `script` goes on from there."""

    def __init__(self, plugin: bytes, script: Callable[[Session, list[bytes]], object], data: bytes = b""):
        self.received: list[bytes] = []
        self._plugin, self._script, self._data = plugin, script, data

    def __call__(self, session: Session) -> bool:
        session.send(switch(self._plugin, self._data))
        try:
            self._script(session, self.received)
        except EOFError:
            return False
        session.send(OK)
        return True

    def at_socket(self, folder: Path, **options: Any) -> None:
        """Log in at a Unix socket."""
        path = str(folder / "s")
        with ScriptedServer({}, on_login=self, path=path) as server:
            chosen = ServerOptions(socket=path, user="u", password="secret", **options)
            with closing(Connection(chosen)) as connection:
                assert connection.variable("server_uuid") == server.uuid

    def at_port(self, password: str = "secret", tls: ssl.SSLContext | None = None, **options: Any) -> None:
        """Log in without encryption, unless these say otherwise."""
        with ScriptedServer({}, on_login=self, tls=tls) as server:
            plain = {"host": "127.0.0.1", "ssl_mode": SslMode.DISABLED}
            chosen = ServerOptions(port=server.port, user="u", password=password, **{**plain, **options})
            with closing(Connection(chosen)) as connection:
                assert connection.variable("server_uuid") == server.uuid


def hears(session: Session, received: list[bytes]) -> None:
    received.append(session.receive())


CLEAR_TEXT = "the server wants the password in clear text, and "
MAY: dict[str, Any] = {"enable_cleartext_plugin": True}
each_readable = pytest.mark.parametrize("plugin", [b"mysql_clear_password", b"dialog"])


def refusal_of_clear_text(log_in: Callable[..., None], *arguments: Any, **options: Any) -> str:
    """Return why a password is not sent, and check that the sentence says how it would be."""
    with pytest.raises(ServerError) as raised:
        log_in(*arguments, **options)
    assert raised.value.__context__ is None
    assert "--ssl-mode=VERIFY_CA or VERIFY_IDENTITY" in (raised.value.hint or "")
    assert "nix socket" in (raised.value.hint or "")
    assert ("--enable-cleartext-plugin" in (raised.value.hint or "")) == (not options.get("enable_cleartext_plugin"))
    assert raised.value.message.startswith(CLEAR_TEXT)
    return raised.value.message.removeprefix(CLEAR_TEXT)


@each_readable
def test_a_readable_password_goes_through_a_unix_socket_if_that_is_allowed(plugin: bytes, tmp_path: Path) -> None:
    login = Login(plugin, hears)
    assert refusal_of_clear_text(login.at_socket, tmp_path) == "an attacker in between could ask for that"
    assert login.received == []
    (tmp_path / "s").unlink()
    login.at_socket(tmp_path, **MAY)
    assert login.received == [b"secret\0"]


@each_readable
def test_a_readable_password_is_not_sent_without_encryption(plugin: bytes) -> None:
    login = Login(plugin, hears)
    assert refusal_of_clear_text(login.at_port) == "an attacker in between could ask for that"
    assert refusal_of_clear_text(login.at_port, **MAY) == "the connection is not encrypted"
    assert login.received == []


@each_readable
@pytest.mark.parametrize("mode", list(SslMode)[1:], ids=lambda mode: mode.value)
def test_a_readable_password_goes_over_tls_to_a_verified_server_alone(
    plugin: bytes, mode: SslMode, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.sign("localhost")
    login, tls = Login(plugin, hears), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    trusted: dict[str, Any] = {"ssl_mode": mode, "ssl_ca": str(authority.file), "host": "localhost", "tls": tls}
    assert refusal_of_clear_text(login.at_port, **trusted) == "an attacker in between could ask for that"
    if mode.value.startswith("VERIFY"):
        login.at_port(**trusted, **MAY)
        assert login.received == [b"secret\0"]
    else:
        assert refusal_of_clear_text(login.at_port, **trusted, **MAY) == "its certificate was not verified"
        assert login.received == []


@pytest.mark.parametrize("kind", range(8))
def test_a_question_for_a_password_is_answered_and_no_other(kind: int, tmp_path: Path) -> None:
    """The two higher bits of its kind: 2 for a name, 4 for a password."""
    login = Login(b"dialog", hears, bytes([kind]) + b"Password: ")
    if kind in (4, 5):
        login.at_socket(tmp_path, **MAY)
        assert login.received == [b"secret\0"]
        return
    with pytest.raises(ServerError) as raised:
        login.at_socket(tmp_path, **MAY)
    assert (raised.value.message, raised.value.hint) == (
        "the server asks 'Password: ', and pybinlog has a password only",
        "Use an account that has a password only",
    )
    assert login.received == []


def test_a_second_question_is_refused(tmp_path: Path) -> None:
    def asks_again(session: Session, received: list[bytes]) -> None:
        hears(session, received)
        session.send(b"\4One-time code: ")
        hears(session, received)

    login = Login(b"dialog", asks_again, b"\4Password: ")
    with pytest.raises(ServerError, match="the server asks 'One-time code: ', and pybinlog has a password only"):
        login.at_socket(tmp_path, **MAY)
    assert login.received == [b"secret\0"]


def test_a_plugin_that_is_not_known_is_named_with_those_that_are(tmp_path: Path) -> None:
    login = Login(b"authentication_ldap", hears)
    with pytest.raises(ServerError) as raised:
        login.at_socket(tmp_path)
    assert raised.value.message.startswith("the account logs in by a plugin that pybinlog does not have: ")
    assert "authentication_ldap" in raised.value.message
    assert raised.value.hint == "Use an account with caching_sha2_password, mysql_native_password, ed25519 or PAM"
    assert login.received == []


def test_an_answer_with_another_number_is_misunderstood(tmp_path: Path) -> None:
    def skips(session: Session, received: list[bytes]) -> None:
        hears(session, received)
        session.number(9)

    with pytest.raises(ServerError) as raised:
        Login(b"mysql_clear_password", skips).at_socket(tmp_path, **MAY)
    assert raised.value.message == "what answers there does not speak as a server of MySQL or MariaDB"
    assert raised.value.hint == "Check host and port"


def test_an_old_password_is_not_sent(tmp_path: Path) -> None:
    login = Login(b"mysql_old_password", hears)
    with pytest.raises(ServerError) as raised:
        login.at_socket(tmp_path)
    assert raised.value.message == "the server wants mysql_old_password, which is not safe"
    assert raised.value.hint == "Give the account another plugin"
    assert login.received == []


# ---- sha256_password


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="module")
def pem(key: rsa.RSAPrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def opened(key: rsa.RSAPrivateKey, answer: bytes) -> bytes:
    """The password that a client has encrypted."""
    plain = key.decrypt(answer, padding.OAEP(padding.MGF1(SHA1()), SHA1(), None))
    return bytes(one ^ SALT[at % len(SALT)] for at, one in enumerate(plain))


def test_the_servers_key_is_asked_for_if_that_is_allowed(key: rsa.RSAPrivateKey, pem: bytes) -> None:
    def gives_key(session: Session, received: list[bytes]) -> None:
        hears(session, received)
        session.send(b"\1" + pem)
        hears(session, received)

    login = Login(b"sha256_password", gives_key, SALT + b"\0")
    login.at_port(get_server_public_key=True)
    asked, answer = login.received
    assert (asked, opened(key, answer)) == (b"\1", b"secret\0")


def test_a_key_that_is_trusted_is_not_asked_for(key: rsa.RSAPrivateKey, pem: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(pem)
    login = Login(b"sha256_password", hears, SALT + b"\0")
    login.at_port(server_public_key_path=str(file))
    (answer,) = login.received
    assert opened(key, answer) == b"secret\0"


def test_without_a_key_that_is_trusted_nothing_is_sent() -> None:
    login = Login(b"sha256_password", hears, SALT + b"\0")
    with pytest.raises(ServerError) as raised:
        login.at_port()
    assert (raised.value.message, raised.value.hint) == (
        "the server wants the password encrypted with its public key",
        KEY_HINT,
    )
    assert login.received == []


def test_an_empty_password_needs_no_key() -> None:
    login = Login(b"sha256_password", hears, SALT + b"\0")
    login.at_port("")
    assert login.received == [b"\0"]


def test_which_key_a_password_is_encrypted_with(pem: bytes, tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    file.write_bytes(pem)
    assert public_key(ServerOptions()) == NOT_A_KEY
    assert public_key(ServerOptions(get_server_public_key=True)) is None
    assert public_key(ServerOptions(socket="/s")) is None
    assert public_key(ServerOptions(server_public_key_path=str(file), socket="/s")) == pem


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"no key", "no key is in it"), (b"", "no key is in it"), (None, "No such file or directory")],
)
def test_a_file_without_a_key_is_an_error_of_its_option(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BinlogError) as raised:
        public_key(ServerOptions(server_public_key_path=str(file)))
    assert str(raised.value) == f"{file}: --server-public-key-path cannot be used: {reason}"


# ---- names and time


@pytest.mark.parametrize("error", [KeyError("uid"), OSError("no name")])
def test_a_user_without_a_name_is_root(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ann")
    assert login_name() == "ann"

    def nobody() -> str:
        raise error

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert login_name() == "root"


def test_without_pymysql_an_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymysql", None)
    with pytest.raises(SourceError) as raised:
        Connection(ServerOptions(host="db1"))
    assert raised.value.file == "mysql://db1"
    assert raised.value.message == "to read from a server needs the package PyMySQL, which is not installed"
    assert raised.value.hint == how_to_install("server")


@pytest.mark.parametrize(("seconds", "slow"), [(59.5, False), (60, True)])
def test_a_server_that_answers_byte_by_byte_has_no_more_time(
    seconds: float, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(module, "monotonic", lambda: now)

    def on_query(session: Session, statement: str) -> bool:
        nonlocal now
        if statement.startswith("SELECT"):
            now = seconds
            session.rows([""], [["1"]])
        return statement.startswith("SELECT")

    with ScriptedServer({}, on_query=on_query) as server:
        chosen = ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED)
        with closing(Connection(chosen)) as connection:
            if not slow:
                assert connection.variable("x") == "1"
                return
            with pytest.raises(SourceError) as raised:
                connection.variable("x")
    assert (type(raised.value), raised.value.message) == (SourceError, "the server does not answer in time")
    assert raised.value.hint == "Give it longer with --connect-timeout or --read-timeout"


@pytest.mark.parametrize(("most", "refused"), [(55, False), (54, True)])
def test_an_answer_has_at_most_so_many_bytes(most: int, refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five packets: the number of columns, a column of 22 bytes, two ends of 5, and a row of 2."""
    monkeypatch.setattr("pybinlog.replication.connection.ANSWER_BYTES", most)

    def on_query(session: Session, statement: str) -> bool:
        if statement.startswith("SELECT"):
            session.rows([""], [["1"]])
        return statement.startswith("SELECT")

    with ScriptedServer({}, on_query=on_query) as server:
        chosen = ServerOptions(host="127.0.0.1", port=server.port, user="u", ssl_mode=SslMode.DISABLED)
        with closing(Connection(chosen)) as connection:
            if not refused:
                assert connection.variable("x") == "1"
                return
            with pytest.raises(ServerError) as raised:
                connection.variable("x")
    assert raised.value.message == "the server says far more than it was asked"
    assert raised.value.hint == "Check host and port"
