"""How accounts of real servers are logged in to, by each plugin and by certificates."""

import os
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pymysql", reason="needs PyMySQL")
pytest.importorskip("cryptography", reason="needs cryptography")

from pybinlog.errors import BinlogError, SourceError
from pybinlog.replication.connection import Connection
from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.replication.tls import tls_context
from tests.corpus import TESTDATA
from tests.replication.certificates import Authority, revocations
from tests.replication.live import Live, live
from tests.replication.test_mysql import run_program
from tests.server import SCRIPTS

WORD = "Gehe1m zz\"9'ü"
OPEN, ENCRYPTED = SslMode.DISABLED, SslMode.REQUIRED
WANTS_KEY = "wants the password encrypted with its public key"
CLEAR_TEXT = "wants the password in clear text, and "


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with live("mysql", tmp_path_factory.mktemp("live")) as server:
        for plugin in ("caching_sha2_password", "sha256_password"):
            account(server, plugin, f"IDENTIFIED WITH {plugin} BY {quoted(WORD)}")
        account(server, "x509", f"IDENTIFIED BY {quoted(WORD)} REQUIRE X509")
        account(server, "nobody", "IDENTIFIED WITH sha256_password BY ''")
        yield server


@pytest.fixture(scope="module")
def authority() -> Iterator[Authority]:
    """Its folder is where a MariaDB server can read it, too."""
    root = os.environ.get("MARIADB118_ROOT")
    if root is None or not Path(root, SCRIPTS["mariadb"][2]).exists():
        pytest.skip("needs a real server: MARIADB118_ROOT")
    folder = Path(root, "tmp", f"pybinlog-certificates-{os.getpid()}")
    folder.mkdir()
    try:
        yield Authority(folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> Iterator[Live]:
    authority.sign("server")
    inside = f"/tmp/{authority.folder.name}"
    keys = [f"--ssl-ca={inside}/ca.pem", f"--ssl-cert={inside}/server-cert.pem", f"--ssl-key={inside}/server-key.pem"]
    with live("mariadb", tmp_path_factory.mktemp("live"), *keys) as server:
        password = f"USING PASSWORD({quoted(WORD)})"
        server.server.sql("INSTALL SONAME 'auth_ed25519'; INSTALL SONAME 'auth_pam'")
        account(server, "mysql_native_password", f"IDENTIFIED VIA mysql_native_password {password}")
        account(server, "ed25519", f"IDENTIFIED VIA ed25519 {password}")
        account(server, "x509", f"IDENTIFIED BY {quoted(WORD)} REQUIRE X509")
        yield server


def quoted(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"


def account(server: Live, name: str, how: str) -> None:
    server.server.sql(f"CREATE USER {name} {how}; GRANT REPLICATION SLAVE ON *.* TO {name}")


def login(server: Live, user: str, *, password: str = WORD, **options: Any) -> str:
    """Which cipher there is after logging in, "" without TLS. Raise SourceError if that fails."""
    chosen = ServerOptions(host="127.0.0.1", port=server.port, user=user, password=password)
    for name, value in options.items():
        object.__setattr__(chosen, name, value)
    with closing(Connection(chosen)) as connection:
        ((_, cipher),) = connection.query("SHOW STATUS LIKE 'Ssl_cipher'")
        return str(cipher)


def refused(server: Live, user: str, *, password: str = WORD, **options: Any) -> str:
    with pytest.raises(SourceError) as raised:
        login(server, user, password=password, **options)
    assert password not in str(raised.value)
    assert raised.value.__context__ is None
    return str(raised.value)


# ---- MySQL


@pytest.mark.parametrize("plugin", ["caching_sha2_password", "sha256_password"])
def test_a_password_goes_over_tls_or_encrypted_with_a_key_that_is_trusted(plugin: str, mysql: Live) -> None:
    forget = "FLUSH PRIVILEGES"  # the server forgets whom it knows
    assert login(mysql, plugin, ssl_mode=ENCRYPTED)
    assert "Access denied" in refused(mysql, plugin, password="another", ssl_mode=ENCRYPTED)
    mysql.server.sql(forget)
    assert WANTS_KEY in refused(mysql, plugin, ssl_mode=OPEN)
    assert not login(mysql, plugin, ssl_mode=OPEN, get_server_public_key=True)
    mysql.server.sql(forget)
    key = str(mysql.server.folder() / "public_key.pem")
    assert not login(mysql, plugin, ssl_mode=OPEN, server_public_key_path=key)
    mysql.server.sql(forget)
    assert "Access denied" in refused(mysql, plugin, password="another", ssl_mode=OPEN, server_public_key_path=key)
    assert not login(mysql, plugin, socket=mysql.socket)
    assert login(mysql, plugin, socket=mysql.socket, ssl_mode=ENCRYPTED)


def test_a_key_of_an_attacker_in_between_is_of_no_use(mysql: Live, tmp_path: Path) -> None:
    """The server's own key is not the trusted one: it cannot read the password."""
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    other = rsa.generate_private_key(65537, 2048).public_key()
    key = tmp_path / "key.pem"
    key.write_bytes(other.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert "Access denied" in refused(mysql, "sha256_password", ssl_mode=OPEN, server_public_key_path=str(key))


def test_an_empty_password_needs_no_key(mysql: Live) -> None:
    assert not login(mysql, "nobody", password="", ssl_mode=OPEN)
    assert login(mysql, "nobody", password="", ssl_mode=ENCRYPTED)


def test_a_certificate_is_shown(mysql: Live) -> None:
    folder = mysql.server.folder()
    certificate, key = str(folder / "client-cert.pem"), str(folder / "client-key.pem")
    assert "Access denied" in refused(mysql, "x509")
    assert login(mysql, "x509", ssl_cert=certificate, ssl_key=key)
    assert "Access denied" in refused(mysql, "x509", ssl_cert=certificate, ssl_key=key, ssl_mode=OPEN)
    assert login(mysql, "x509", ssl_cert=certificate, ssl_key=key, socket=mysql.socket, ssl_mode=ENCRYPTED)


def test_a_certificate_and_its_key_may_be_one_file(mysql: Live, tmp_path: Path) -> None:
    folder = mysql.server.folder()
    both = tmp_path / "both.pem"
    both.write_bytes((folder / "client-cert.pem").read_bytes() + b"\n" + (folder / "client-key.pem").read_bytes())
    assert login(mysql, "x509", ssl_cert=str(both))
    assert login(mysql, "x509", ssl_key=str(both))


def test_versions_and_ciphers_are_narrowed(mysql: Live) -> None:
    wanted = "ECDHE-RSA-AES256-GCM-SHA384"
    narrow: dict[str, Any] = {"ssl_mode": ENCRYPTED, "tls_version": ("TLSv1.2",)}
    assert login(mysql, "caching_sha2_password", ssl_cipher=wanted, **narrow) == wanted
    assert login(mysql, "caching_sha2_password", ssl_mode=ENCRYPTED, tls_version=("TLSv1.3",)).startswith("TLS_")


def test_certificates_are_looked_at_and_lists_of_revoked_ones(mysql: Live, tmp_path: Path) -> None:
    folder = mysql.server.folder()
    authority = folder / "ca.pem"
    verified: dict[str, Any] = {"ssl_mode": SslMode.VERIFY_CA, "ssl_ca": str(authority)}
    lists = tmp_path / "lists"
    lists.mkdir()
    revoked, none = lists / "revoked.pem", tmp_path / "none.pem"
    revoked.write_bytes(revocations(authority, folder / "ca-key.pem", folder / "server-cert.pem"))
    none.write_bytes(revocations(authority, folder / "ca-key.pem"))
    user = "caching_sha2_password"
    assert login(mysql, user, **verified)
    assert login(mysql, user, ssl_crl=str(none), **verified)
    assert "certificate revoked" in refused(mysql, user, ssl_crl=str(revoked), **verified)
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl, to name files by their hashes")
    trusted = tmp_path / "trusted"
    trusted.mkdir()
    (trusted / "ca.pem").write_bytes(authority.read_bytes())
    for made in (lists, trusted):
        subprocess.run(["openssl", "rehash", made], check=True)
    assert login(mysql, user, ssl_mode=SslMode.VERIFY_CA, ssl_capath=str(trusted))
    assert "certificate revoked" in refused(mysql, user, ssl_crlpath=str(lists), **verified)


def test_an_address_to_connect_from(mysql: Live) -> None:
    assert login(mysql, "caching_sha2_password", bind_address="127.0.0.1")
    assert "cannot be reached" in refused(mysql, "caching_sha2_password", bind_address="192.0.2.1")


def test_a_login_path_opens_the_log(mysql: Live, tmp_path: Path) -> None:
    file = tmp_path / "mylogin.cnf"
    file.write_bytes((TESTDATA / "option-files" / "mylogin.cnf").read_bytes())
    file.chmod(0o600)
    account(mysql, "'from client'", "IDENTIFIED BY 'Gehe1m-zz''9'")
    log = mysql.logs()[0]
    where = ["--no-defaults", "-R", "-h127.0.0.1", f"-P{mysql.port}"]
    done = run_program(*where, log, MYSQL_TEST_LOGIN_FILE=str(file))
    assert (done.returncode, done.stderr) == (0, b"")
    done = run_program(*where, "--no-login-paths", "-ufrom client", log, MYSQL_TEST_LOGIN_FILE=str(file))
    assert (done.returncode, b"Access denied" in done.stderr) == (1, True)
    file.chmod(0o644)
    shown = [done.stderr]
    for arguments in ([*where, log], [*where, "--login-path=nope", log], ["--print-defaults", "--login-path=prod"]):
        for mode in (0o644, 0o600):
            file.chmod(mode)
            for traceback in ({}, {"PYBINLOG_TRACEBACK": "1"}):
                done = run_program(*arguments, MYSQL_TEST_LOGIN_FILE=str(file), **traceback)
                shown += [done.stderr] if done.returncode == 0 and "-R" in arguments else [done.stdout, done.stderr]
    assert any(b"password=*****" in text for text in shown)
    assert any(b"chmod 600" in text for text in shown)
    for secret in ("Gehe1m-zz'9", "a#b"):
        assert not any(secret.encode() in text for text in shown)


# ---- MariaDB


@pytest.mark.parametrize("plugin", ["mysql_native_password", "ed25519"])
def test_mariadbs_plugins_need_no_encryption(plugin: str, mariadb: Live) -> None:
    if plugin == "ed25519":
        pytest.importorskip("nacl", reason="needs PyNaCl")
    for mode in (OPEN, ENCRYPTED):
        assert bool(login(mariadb, plugin, ssl_mode=mode)) == (mode is ENCRYPTED)
        assert "Access denied" in refused(mariadb, plugin, password="another", ssl_mode=mode)
    assert not login(mariadb, plugin, socket=mariadb.socket)


def test_mariadbs_certificates(mariadb: Live, authority: Authority) -> None:
    certificate, key = authority.sign("client")
    assert "Access denied" in refused(mariadb, "x509")
    assert login(mariadb, "x509", ssl_cert=certificate, ssl_key=key)
    verified: dict[str, Any] = {"ssl_mode": SslMode.VERIFY_CA, "ssl_ca": str(authority.file)}
    assert login(mariadb, "x509", ssl_cert=certificate, ssl_key=key, **verified)
    assert "certificate verify failed" in refused(mariadb, "x509", ssl_mode=SslMode.VERIFY_CA)
    assert "certificate verify failed" in refused(
        mariadb, "x509", ssl_mode=SslMode.VERIFY_IDENTITY, ssl_ca=str(authority.file)
    )


def test_pam_gets_the_password_at_a_verified_server_only(mariadb: Live, authority: Authority) -> None:
    root = os.environ["MARIADB118_ROOT"]
    if shutil.which("chroot") is None or not Path(root, "usr/sbin/useradd").exists():
        pytest.skip("needs chroot and useradd, to make an account of the system")
    name = f"pb{os.getpid()}"
    service = Path(root, "etc/pam.d", name)
    service.write_text("auth required pam_unix.so\naccount required pam_unix.so\n")
    try:
        subprocess.run(["chroot", root, "useradd", "-M", name], check=True)
        subprocess.run(["chroot", root, "chpasswd"], input=f"{name}:{WORD}\n".encode(), check=True)
        account(mariadb, name, f"IDENTIFIED VIA pam USING '{name}'")
        may: dict[str, Any] = {"enable_cleartext_plugin": True}
        verified: dict[str, Any] = {**may, "ssl_mode": SslMode.VERIFY_CA, "ssl_ca": str(authority.file)}
        assert login(mariadb, name, **verified)
        assert not login(mariadb, name, socket=mariadb.socket, **may)
        assert "Access denied" in refused(mariadb, name, password="another", **verified)
        assert CLEAR_TEXT + "its certificate was not verified" in refused(mariadb, name, ssl_mode=ENCRYPTED, **may)
        assert CLEAR_TEXT + "an attacker" in refused(mariadb, name, ssl_mode=ENCRYPTED)
        assert CLEAR_TEXT + "the connection is not encrypted" in refused(mariadb, name, ssl_mode=OPEN, **may)
        assert CLEAR_TEXT + "an attacker" in refused(mariadb, name, ssl_mode=OPEN, get_server_public_key=True)
    finally:
        subprocess.run(["chroot", root, "userdel", name], check=False)
        service.unlink()


# ---- the context


def test_the_name_that_is_sent_first(tmp_path: Path) -> None:
    certificate, key = (made := Authority(tmp_path)).sign("db1.example")
    seen: list[str] = []
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(certificate, key)
    server_side.sni_callback = lambda connection, name, context: seen.append(name)
    trust: dict[str, Any] = {"ssl_mode": SslMode.VERIFY_CA, "ssl_ca": str(made.file)}
    for given, sent in ((None, "db1.example"), ("front.example", "front.example")):
        ours, theirs = socket.socketpair()
        context = tls_context(ServerOptions(tls_sni_servername=given, **trust))
        thread = threading.Thread(target=lambda side=theirs: server_side.wrap_socket(side, server_side=True).close())
        thread.start()
        context.wrap_socket(ours, server_hostname="db1.example").close()
        thread.join()
        assert seen.pop() == sent


@pytest.mark.parametrize("option", ["ssl_ca", "ssl_capath", "ssl_cert", "ssl_key", "ssl_crl", "ssl_crlpath"])
def test_a_file_that_is_not_there_or_has_nothing_is_an_error_that_names_the_option(option: str, tmp_path: Path) -> None:
    name = "--" + option.replace("_", "-")
    (tmp_path / "file").write_text("nothing\n")
    with pytest.raises(BinlogError, match=f"{name} cannot be used: No such file"):
        tls_context(ServerOptions(**{option: str(tmp_path / "none")}))  # type: ignore[arg-type]
    with pytest.raises(BinlogError, match=f"{name} cannot be used: "):
        tls_context(ServerOptions(**{option: str(tmp_path / "file")}))  # type: ignore[arg-type]


def test_a_cipher_that_is_none_is_an_error() -> None:
    with pytest.raises(BinlogError, match="--ssl-cipher cannot be used: no cipher"):
        tls_context(ServerOptions(ssl_cipher="NONSENSE"))
