"""ServerLog: a log on a server, by a name that can stand wherever the name of a log stands."""

from __future__ import annotations

from pybinlog.server.options import ServerOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

    from pybinlog.server.dump_request import DumpRequest


class ServerLog(str):
    """As text it is a URL without a password, `mysql://user@host:3306/binlog.000007`.

    `request` says what the server is asked for; with `to_last` it continues with the logs that follow, and the
    fake Rotates in between are among the events.
    """

    options: ServerOptions
    request: DumpRequest
    to_last: bool

    def __new__(cls, options: ServerOptions, request: DumpRequest, *, to_last: bool = False) -> Self:
        log = super().__new__(cls, f"{options.address}/{request.log}")
        log.options = options
        log.request = request
        log.to_last = to_last
        return log
