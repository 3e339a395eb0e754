"""The state of the text after events that were printed, and after the same events stepped over."""

from pathlib import Path
from typing import Any

import pytest

from pybinlog.dump import DumpOptions
from pybinlog.dump.log import Dump, selection_of
from pybinlog.errors import BinlogError
from pybinlog.kernel.text.carried_state import CarriedState, PackedState, packed_state, restore_state
from pybinlog.log.reader import Reader
from pybinlog.spark.dump_stages import DumpState, Run, Surveyor, TextPlan
from tests.corpus import Scenario, scenarios
from tests.dump.log_parts import group_reader
from tests.dump.test_parallel_dump import FORMS

ANY_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff:1-3"
FILTERS = {
    **FORMS,
    "some databases": DumpOptions(database="mx", verbose=1),
    "its own database": DumpOptions(database="shop", short_form=True),
    "test": DumpOptions(database="test", verbose=2),
    "some gtids": DumpOptions(include_gtids=f"{ANY_UUID},0-1-3,0-1-5"),
    "no mariadb gtids": DumpOptions(exclude_gtids="0-1-2,0-1-4", skip_gtids=True),
    "an offset": DumpOptions(offset=9, database="rb"),
}


class Compared(Dump):
    """A Dump in small batches, each stepped over before it is printed; `compared` counts how often both agreed."""

    def __init__(self, options: DumpOptions, name: str):
        super().__init__(options, lambda text: None, lambda text: None)
        filter = selection_of(options).filter
        entry = DumpState(CarriedState(options).packed(), None if filter is None else filter.packed())
        self._surveyor = Surveyor(TextPlan(options, 1, ""), Run((name,), 0, entry))
        self._goes_over = True
        self.compared = 0

    def _open_reader(self, source: Any, start_position: int) -> Reader:
        return group_reader(source, self._scanner, 64, start_position)

    def _render(self, batch: Any) -> bool:
        state = self._surveyor.state
        self._goes_over = self._goes_over and self._surveyor.advance(batch)
        super()._render(batch)
        if self._goes_over:
            printed = packed_state(self._renderer.state, self._renderer.slow_path.load_files.waiting)
            assert state.packed() == printed, f"at {self._scanner.position}"
            self.compared += 1
        return True


def compare(scenario: Scenario, options: DumpOptions) -> int:
    dump = Compared(options, str(scenario.logs[0]))
    try:
        for number, log in enumerate(scenario.logs, 1):
            if not dump.log(str(log), first=number == 1, last=number == len(scenario.logs)):
                break
    except BinlogError:
        pass  # after the text before it, which was compared
    return dump.compared


SMALL = [scenario for scenario in scenarios() if not scenario.folder.name.startswith("large")]


@pytest.mark.parametrize(("number", "scenario"), list(enumerate(SMALL)), ids=str)
def test_the_state_after_printing_is_that_of_stepping(number: int, scenario: Scenario, tmp_path: Path) -> None:
    """Each log in every second of the forms: the next log has the others."""
    for form, options in [*FILTERS.items()][number % 2 :: 2]:
        folder = tmp_path / form
        folder.mkdir()
        compare(scenario, options.replace(local_load=str(folder)))
    if scenario.intact:
        assert compare(scenario, FILTERS["default"].replace(local_load=str(tmp_path))) > 1


@pytest.mark.parametrize(
    ("variables", "places"),
    [
        ({"mariadb": 1}, {}),
        ({"flags2_known": 1, "charset_known": 1, "character_set_client": 1, "collation_server": 3}, {}),
        ({"time_zone": b"+0\x001", "database": b"d" * 255}, {}),
        ({"skip_parallel_replication": 0, "gtid_domain_id": 3, "server_id": 1 << 31}, {}),
        ({}, {"thread_id_known": True, "in_transaction": True, "skipped_in_transaction": True}),
        ({}, {"head_waits": True, "deferred": 2}),
        ({}, {"unflushed": True, "load_ids": (2, 5)}),
    ],
)
def test_a_state_is_the_same_after_a_journey(variables: dict[str, Any], places: dict[str, Any]) -> None:
    options = DumpOptions(verbose=1)
    there = CarriedState(options)
    before = there.packed()
    wanted = PackedState({**before.variables, **variables}, {**before.places, **places})
    assert wanted != before
    there.unpack(wanted)
    assert there.packed() == wanted
    copied = there.copy()
    assert packed_state(copied, wanted.places["load_ids"]) == wanted
    restore_state(copied, CarriedState(options).packed())
    assert there.packed() == wanted, "a copy continues by itself"
