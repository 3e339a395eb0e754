"""How the servers of a command line are reached: by its options, those of option files, and the environment."""

import os
from typing import Any

import click
from click.core import ParameterSource

from pybinlog.cli.environment import Environment
from pybinlog.cli.options.option import ASK, Kind, Option, conflict, missing
from pybinlog.cli.options.server_options import CONNECTION, NARROWS, PLUGINS, SERVER_REFUSED
from pybinlog.cli.options.values import boolean
from pybinlog.errors import BinlogError
from pybinlog.replication import options as server
from pybinlog.replication.option_files import LOGIN_FILE, OptionFiles
from pybinlog.replication.server_log import local_socket, server_of

TLS_VERSIONS = ("TLSv1.2", "TLSv1.3")
NOT_VERIFIED = (
    "no verification of server certificate will be done. Use --ssl-mode=VERIFY_CA or VERIFY_IDENTITY."  # as in MySQL
)


def server_options(ctx: click.Context, values: dict[str, Any]) -> server.ServerOptions:
    """Return the options of the connection: those given, else those of the option files, else of the environment."""
    environment = ctx.find_object(Environment)
    assert environment is not None
    chosen = with_option_files(ctx, environment, values)
    host, port, protocol = chosen["host"], chosen["port"] or int(environment.environ.get("MYSQL_TCP_PORT") or 0), None
    if chosen["protocol"] is not None:
        protocol = chosen["protocol"].upper()
    socket = None
    if protocol == "SOCKET" or (protocol is None and host in (None, "localhost")):
        socket = chosen["socket"]
        if socket is None and (protocol == "SOCKET" or not chosen["port"]):
            socket = local_socket()
        if socket is None and protocol == "SOCKET":
            raise missing("protocol=SOCKET", "socket")
    if chosen["default_auth"] is not None and chosen["default_auth"] not in PLUGINS:
        raise click.UsageError(
            f"--default-auth: pybinlog does not have the plugin {chosen['default_auth']} (Kerberos, LDAP, OCI and "
            f"WebAuthn are not possible); it has {', '.join(PLUGINS)}."
        )
    mode = chosen["ssl_mode"]
    if mode is None:
        mode = "VERIFY_CA" if chosen["ssl_ca"] or chosen["ssl_capath"] else "PREFERRED"
    check_tls(mode.upper(), chosen)
    if not mode.upper().startswith("VERIFY") and (chosen["ssl_ca"] or chosen["ssl_capath"]):
        environment.warn(NOT_VERIFIED)
    return server.ServerOptions(
        host=host or "localhost",
        port=port or server.DEFAULT_PORT,
        user=chosen["user"],
        password=password_of(environment, chosen["password"]),
        socket=socket,
        bind_address=chosen["bind_address"],
        ssl_mode=server.SslMode[mode.upper()],
        tls_version=tls_versions(chosen["tls_version"]),
        # the mirror's own --compress has a value, and is about its files
        compression=compression_of(chosen["compress"] is True, chosen["compression_algorithms"]),
        zstd_level=chosen["zstd_compression_level"] or server.DEFAULT_ZSTD_LEVEL,
        connect_timeout=chosen["connect_timeout"] or server.DEFAULT_CONNECT_TIMEOUT,
        read_timeout=chosen["read_timeout"] or server.DEFAULT_READ_TIMEOUT,
        **{
            name: chosen[name]
            for name in """tls_sni_servername ssl_ca ssl_capath ssl_cert ssl_key ssl_cipher ssl_crl ssl_crlpath
            get_server_public_key server_public_key_path enable_cleartext_plugin""".split()
        },
    )


def server_at(ctx: click.Context, url: str, values: dict[str, Any], option: str) -> server.ServerOptions:
    """Return the options of a server at a URL. Raise click.UsageError if the URL names more than a server."""
    options, rest = server_of(url, server_options(ctx, values))
    if rest:
        raise click.UsageError(f"{option}{url}: the URL of a server ends after its host and port; leave out {rest!r}.")
    return options


def check_tls(mode: str, chosen: dict[str, Any]) -> None:
    """Raise click.UsageError for options that this mode excludes or ignores."""
    if mode in ("VERIFY_CA", "VERIFY_IDENTITY"):
        if mode == "VERIFY_IDENTITY" and chosen["tls_sni_servername"] is not None:
            raise conflict(
                "tls-sni-servername",
                "--ssl-mode=VERIFY_IDENTITY",
                "Python's TLS library looks for the name that it sends in the certificate; give that name as --host, "
                "or --ssl-mode=VERIFY_CA",
            )
        return
    for name in ("ssl_crl", "ssl_crlpath"):
        if chosen[name] is not None:
            raise missing(name.replace("_", "-"), "ssl-ca", "ssl-mode=VERIFY_CA")


def tls_versions(listed: str | None) -> tuple[str, ...]:
    versions = tuple(part.strip() for part in (listed or "").split(",") if part.strip())
    for version in versions:
        if version not in TLS_VERSIONS:
            raise click.UsageError(f"--tls-version: {version!r} is not one of {', '.join(TLS_VERSIONS)}.")
    return versions


def compression_of(compress: bool, listed: str | None) -> tuple[server.Compression, ...]:
    """Return the algorithms that are allowed. As in MySQL's programs, --compress adds zlib to those that are listed."""
    if listed is None:
        return (
            (server.Compression.ZLIB, server.Compression.UNCOMPRESSED)
            if compress
            else (server.Compression.UNCOMPRESSED,)
        )
    known = {algorithm.value: algorithm for algorithm in server.Compression}
    names = [name.strip().lower() for name in listed.split(",")]
    for name in names:
        if name not in known:
            raise click.UsageError(f"--compression-algorithms: {name!r} is not one of {', '.join(known)}.")
    allowed = tuple(known[name] for name in names)
    return (server.Compression.ZLIB, *allowed) if compress else allowed


def with_option_files(ctx: click.Context, environment: Environment, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values, with those of the option files in place of what is not given."""
    chosen = dict(values)
    for option, text, file in said_in_files(environment, values):
        if ctx.get_parameter_source(option.variable) is not ParameterSource.COMMANDLINE:
            chosen[option.variable] = value_of(option, text, file, ctx)
    return chosen


def said_in_files(environment: Environment, values: dict[str, Any]) -> list[tuple[Option, str | None, str]]:
    """Return the options about the connection that the option files have; what else stands there is skipped."""
    files = OptionFiles(
        only=values["defaults_file"],
        extra=values["defaults_extra_file"],
        suffix=values["defaults_group_suffix"] or environment.environ.get("MYSQL_GROUP_SUFFIX", ""),
        none=values["no_defaults"],
        login_path=values["login_path"],
        no_login_paths=values["no_login_paths"],
        login_file=environment.environ.get("MYSQL_TEST_LOGIN_FILE") or LOGIN_FILE,
    )
    by_name = {
        option.name: option for option in CONNECTION if not any(word in option.name for word in ("defaults", "login"))
    }
    found: list[tuple[Option, str | None, str]] = []
    for name, text, file in files.options():
        loose = name.startswith("loose-")
        name = name.removeprefix("loose-")
        if name in NARROWS and not loose and (text or "").upper() != "OFF":
            raise click.UsageError(SERVER_REFUSED[name].format(f"{file} asks for {name}, which"))
        if name == "ssl-verify-server-cert" and (text is None or boolean(text)):  # the name before --ssl-mode
            found.append((by_name["ssl-mode"], "VERIFY_IDENTITY", file))
        elif name in by_name:
            found.append((by_name[name], text, file))
    return found


def value_of(option: Option, text: str | None, file: str, ctx: click.Context) -> object:
    if option.kind is Kind.FLAG:
        return text is None or bool(boolean(text))
    if option.kind is Kind.SECRET:
        return ASK if text is None else text
    if text is None:
        raise BinlogError(f"the option {option.name} has no value there", file=file)
    assert option.type is not None
    try:
        return option.type.convert(text, None, ctx)
    except click.UsageError as error:
        raise click.UsageError(
            f"--{option.name}, from {file}: {error.message} --no-defaults reads none; --print-defaults "
            "shows what they say."
        ) from None


def password_of(environment: Environment, given: str | None) -> str:
    if given is None:
        return environment.environ.get("MYSQL_PWD", "")
    if given != ASK:
        return given
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise BinlogError(
            "there is no terminal to ask for the password on", hint="Put it into an option file: --defaults-extra-file"
        ) from None
    from getpass import getpass

    return getpass("Enter password: ")


def show_defaults(environment: Environment, values: dict[str, Any]) -> None:
    """--print-defaults, without the password."""
    lines = []
    for option, text, _ in said_in_files(environment, values):
        shown = "*****" if option.kind is Kind.SECRET and text else text
        lines.append(f"--{option.name}" if shown is None else f"--{option.name}={shown}")
    environment.show("".join(line + "\n" for line in lines))
