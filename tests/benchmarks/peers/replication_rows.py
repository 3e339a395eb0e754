"""How many rows python-mysql-replication decodes from a server's log: its interpreter runs this, with PORT and LOG."""

import sys

from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.event import RotateEvent
from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent


def main(port: str, log: str) -> None:
    stream = BinLogStreamReader(
        connection_settings={"host": "127.0.0.1", "port": int(port), "user": "root", "passwd": ""},
        server_id=4711,
        log_file=log,
        log_pos=4,
        resume_stream=True,
        only_events=[RotateEvent, WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent],
    )
    rows = 0
    for event in stream:
        if not isinstance(event, RotateEvent):
            rows += len(event.rows)
        elif event.next_binlog != log:
            break
    print(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
