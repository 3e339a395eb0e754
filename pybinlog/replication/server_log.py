"""ServerLog: a log on a server, by a name that can stand wherever the name of a log stands."""

from __future__ import annotations

import os
from dataclasses import replace

from pybinlog.errors import SourceError
from pybinlog.replication.dump_request import DumpRequest
from pybinlog.replication.options import DEFAULT_PORT, ServerOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

SOCKETS = ("/run/mysqld/mysqld.sock", "/var/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock")
"""The sockets of servers on this machine, by distribution."""
URL_HINT = "A URL looks like mysql://user@host:3306/binlog.000007"


class ServerLog(str):
    """As text it is a URL without a password, `mysql://user@host:3306/binlog.000007`.

    `request` says what the server is asked for; with `to_last` it continues with the logs that follow. With
    `shows_rotates` the fake Rotates that announce the logs are among their events.
    """

    options: ServerOptions
    request: DumpRequest
    to_last: bool
    shows_rotates: bool

    def __new__(
        cls, options: ServerOptions, request: DumpRequest, *, to_last: bool = False, shows_rotates: bool = False
    ) -> Self:
        log = super().__new__(cls, f"{options.address}/{request.log}")
        log.options = options
        log.request = request
        log.to_last = to_last
        log.shows_rotates = shows_rotates
        return log


def server_log(url: str, options: ServerOptions | None = None) -> ServerLog:
    """Return the log of that URL. `options` give what the URL does not; a URL cannot contain a password.

    Raise SourceError if it is no such URL.
    """
    options, log = server_of(url, options)
    if not log:
        raise SourceError("this URL names no log of a server", file=url, hint=URL_HINT)
    return ServerLog(options, DumpRequest(plain_name(log)))


def server_of(url: str, options: ServerOptions | None = None) -> tuple[ServerOptions, str]:
    """Return the server of a URL, as of `server_log`, and what the URL says besides."""
    from urllib.parse import unquote, urlsplit  # 3 ms, which -R does not need

    if options is None:
        options = ServerOptions(password=os.environ.get("MYSQL_PWD", ""))
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise SourceError("the URL of a server cannot be read", hint=URL_HINT) from None
    if parts.password is not None:
        raise SourceError(
            "a password in a URL could be read by everybody who sees the processes of this machine",
            file=f"mysql://{parts.hostname or ''}{parts.path}",
            hint="Remove it from the URL; give -p, or an option file",
        )
    log = unquote(parts.path[1:])
    if not parts.hostname or parts.query or parts.fragment:
        raise SourceError("this URL names no server", file=url, hint=URL_HINT)
    if parts.username:
        options = replace(options, user=unquote(parts.username))
    socket = local_socket() if parts.hostname == "localhost" and port is None else None
    if parts.hostname != "localhost" or port is not None or options.socket is None:
        options = replace(options, host=parts.hostname, port=port or DEFAULT_PORT, socket=socket)
    return options, log


def plain_name(log: str) -> str:
    """Return the name of a log as servers know it.

    Raise SourceError if it has a folder, with which they would not find it.
    """
    if "/" in log or not log:
        raise SourceError(
            f"a server knows its logs without a folder, and {log!r} has one",
            hint="Name it as SHOW BINARY LOGS does, such as binlog.000007",
        )
    return log


def local_socket() -> str | None:
    """Return the Unix socket of this machine's server; None if it has none in the usual places."""
    places = (os.environ.get("MYSQL_UNIX_PORT", ""), *SOCKETS)
    return next((place for place in places if place and os.path.exists(place)), None)
