"""Receive: read the events of a server's log into a buffer, and do nothing with them.

python -m tests.benchmarks.receive PORT MODE LOG

Says on standard error how many seconds that took, without the start.
"""

from __future__ import annotations

import sys
from time import perf_counter

from pybinlog.replication.options import ServerOptions, SslMode
from pybinlog.replication.server_log import DumpRequest, ServerLog
from pybinlog.source import open_source

BUFFER = 1 << 18


def main(port: str, mode: str, log: str) -> None:
    options = ServerOptions(host="127.0.0.1", port=int(port), user="root", ssl_mode=SslMode[mode])
    view = memoryview(bytearray(BUFFER))
    begun = perf_counter()
    with open_source(ServerLog(options, DumpRequest(log))) as opened:
        while opened.readinto(view):
            pass
    print(f"read in {perf_counter() - begun:.3f} s", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
