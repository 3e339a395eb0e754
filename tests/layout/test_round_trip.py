"""Every event of every intact log of the corpus: parsed and built, it is the same bytes."""

from itertools import islice

import pytest

from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_event, crc32, parse_event
from tests.layout.compression import payload_event_bytes

from ..corpus import Scenario, scenarios
from .logs import event_bytes

INTACT = [scenario for scenario in scenarios() if scenario.intact]


@pytest.mark.parametrize("scenario", INTACT, ids=lambda scenario: scenario.name)
def test_every_event_is_built_as_it_was_read(scenario: Scenario) -> None:
    count, types = 0, set[int]()
    most = 1000 if scenario.folder.name.startswith("large") else None  # their transactions are all alike
    for log in scenario.logs:
        for position, data, format in islice(event_bytes(log), most):
            count += 1 + _check(data, format, f"{log.name} at {position}", types)
    assert count


def _check(data: bytes, format: Format, where: str, types: set[int]) -> int:
    """Checks an event and those inside it; how many were inside. The first of its type gets a new checksum, too."""
    event = parse_event(data, format)
    assert build_event(event, format) == data, where
    if data[4] not in types:
        types.add(data[4])
        assert build_event({**event, "checksum": None}, format)[:-4] == data[:-4], where
    assert "trailing" not in event.body, f"{where}: fields that no declaration names"
    if event.checksum is not None:
        assert event.checksum == crc32(data[:-4]), where
    if event.header.event_type != EventType.TRANSACTION_PAYLOAD:
        return 0
    inside = list(payload_event_bytes(event.body))
    for inner in inside:
        _check(inner, format.without_checksum(), f"{where}, inside", types)
    assert inside
    return len(inside)


def test_the_corpus_holds_events_of_every_declared_family() -> None:
    """A selection of the corpus must contain these for a useful round trip."""
    seen = {data[4] for scenario in INTACT for log in scenario.logs for _position, data, _format in event_bytes(log)}
    assert seen >= {
        EventType.QUERY,
        EventType.ROTATE,
        EventType.INTVAR,
        EventType.RAND,
        EventType.USER_VAR,
        EventType.FORMAT_DESCRIPTION,
        EventType.XID,
        EventType.BEGIN_LOAD_QUERY,
        EventType.EXECUTE_LOAD_QUERY,
        EventType.TABLE_MAP,
        EventType.WRITE_ROWS_V1,
        EventType.ROWS_QUERY,
        EventType.WRITE_ROWS,
        EventType.UPDATE_ROWS,
        EventType.DELETE_ROWS,
        EventType.GTID,
        EventType.ANONYMOUS_GTID,
        EventType.PREVIOUS_GTIDS,
        EventType.XA_PREPARE,
        EventType.PARTIAL_UPDATE_ROWS,
        EventType.TRANSACTION_PAYLOAD,
        EventType.GTID_TAGGED,
        EventType.MARIA_ANNOTATE_ROWS,
        EventType.MARIA_GTID,
        EventType.MARIA_QUERY_COMPRESSED,
        EventType.MARIA_WRITE_ROWS_COMPRESSED_V1,
    }
