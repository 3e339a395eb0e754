"""A replica that connects again ends the stream that it has left behind, as with a server."""

import struct

import pytest

from tests.corpus import TESTDATA
from tests.serve.hostile import DUMP, QUERY, Client
from tests.serve.served import port_of

LOG = TESTDATA / "corpus/mysql-9.7/row-basic/binlog.000001"
UUID = "11111111-2222-3333-4444-555555555555"


def replica(port: int, uuid: str) -> Client:
    """Connect as a replica does, and receive the first event."""
    client = Client(port)
    client.log_in()
    for question in ("SELECT @@GLOBAL.SERVER_ID", f"SET @replica_uuid='{uuid}'", "SET @source_binlog_checksum='CRC32'"):
        client.command(QUERY, question.encode())
        if question.startswith("SELECT"):
            for _ in range(4):  # the column, the row, and what ends them
                client.read()
    assert client.command(DUMP, struct.pack("<IHI", 4, 0, 77) + LOG.name.encode())[:1] == b"\0"
    client.socket.settimeout(1)
    return client


@pytest.mark.parametrize(("other", "ends"), [(UUID, True), (UUID.replace("1", "9"), False)])
def test_a_second_stream_of_a_replica_ends_the_first(other: str, ends: bool) -> None:
    port = port_of([LOG])
    first, second = replica(port, UUID), replica(port, other)
    if ends:
        first.end()
    else:
        with pytest.raises(TimeoutError):
            first.end()
    with pytest.raises(TimeoutError):
        second.end()
