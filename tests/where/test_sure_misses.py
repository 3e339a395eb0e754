"""A row that one comparison drops is one that the whole condition drops, also in images that are odd or broken."""

import json
import random
from pathlib import Path

import pytest

from pybinlog.errors import BinlogError
from pybinlog.where import Condition
from pybinlog.where.tally import Tally
from pybinlog.where.tree import Logic
from tests.corpus import scenarios
from tests.dump.log_parts import events_of, joined, with_checksum
from tests.where.answers import FOLDER, SESSION
from tests.where.test_dump import dumped

TABLE_MAP = 19
ROW_EVENTS = {23, 24, 25, 30, 31, 32, 39}
CONDITIONS = [
    "@1 = 3",
    "@1 IN (2, 4, 5)",
    "@1 BETWEEN 2 AND 4",
    "@2 > 5 AND @1 < 4",
    "@2 = 'a' OR @2 LIKE 'b%'",
    "@3 < 100",
    "@1 = 3 AND changed(@2)",
]
LOGS = [
    log
    for scenario in scenarios()
    if scenario.intact and scenario.folder.name.startswith(("row", "types", "large", "json", "partial", "minimal"))
    for log in scenario.logs
]


def judged(log: Path, condition: str) -> tuple[bytes, Tally | None] | str:
    """The text of the matching rows and how many there are, or the error."""
    try:
        text, tally = dumped(log, where=Condition(condition))
    except BinlogError as error:
        return str(error)
    assert tally is not None
    return text, tally.replace(condition=Logic(0))


def whole(condition: str) -> str:
    """The same condition, of which no comparison alone drops a row."""
    return f"NOT (NOT ({condition}))"


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.parent.parent.name}-{log.parent.name}-{log.name}")
def test_a_sure_miss_is_a_miss(log: Path) -> None:
    for condition in CONDITIONS:
        assert judged(log, condition) == judged(log, whole(condition)), condition


@pytest.mark.parametrize("kind", SESSION)
def test_a_sure_miss_is_a_miss_for_every_type(kind: str) -> None:
    answers: dict[str, list[int]] = json.loads((FOLDER / f"{kind}.json").read_text())
    for condition in list(answers)[::17]:
        log = FOLDER / f"{kind}.000001"
        assert judged(log, condition) == judged(log, whole(condition)), condition


@pytest.mark.parametrize("kind", SESSION)
def test_broken_images_are_judged_alike(kind: str, tmp_path: Path) -> None:
    dice = random.Random(34)
    events = events_of((FOLDER / f"{kind}.000001").read_bytes())
    broken = tmp_path / "binlog.000001"
    conditions = ("id = 5", "id > 30 AND number < 6", "general LIKE 'a%'")
    of_whole = {condition: judged(FOLDER / f"{kind}.000001", condition) for condition in conditions}
    differed = 0
    for attempt in range(48):
        copies = []
        for event in events:
            if event[4] in ROW_EVENTS or (event[4] == TABLE_MAP and attempt % 4 == 0):
                data = bytearray(event)
                for _ in range(dice.randrange(4)):
                    data[dice.randrange(27, len(data) - 4)] ^= 1 << dice.randrange(8)
                event = with_checksum(bytes(data))
            copies.append(event)
        broken.write_bytes(joined(copies))
        for condition in conditions:
            found = judged(broken, condition)
            assert found == judged(broken, whole(condition)), condition
            differed += found != of_whole[condition]
    assert differed > 18
