"""SET GTID_NEXT without a real server beside the model: its refusals, and the log as other commands read it."""

from pathlib import Path

import pytest

from pybinlog.simulate import ScenarioError, simulate
from tests.cli.conftest import real

GTID = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"
OWNED = f"con1: SET GTID_NEXT = '{GTID}:7';\n"


def test_no_connection_waits_for_a_gtid_of_another_one() -> None:
    with pytest.raises(ScenarioError, match=rf"line 2: another connection owns the GTID {GTID}:7\. A server waits"):
        simulate(f"{OWNED}con2: SET GTID_NEXT = '{GTID}:7';")


@pytest.mark.parametrize("end", ["con1: ROLLBACK;", "-- !disconnect con1", "-- !crash", "-- !restart"])
def test_a_gtid_is_free_when_its_owner_has_not_used_it(end: str) -> None:
    result = simulate(f"{OWNED}{end}\ncon2: SET GTID_NEXT = '{GTID}:7';\ncon2: COMMIT;")
    assert [line.split()[2] for line in result.outline() if "con2: Gtid" in line] == [f"{GTID}:7"]


def test_5_6_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"line 2: SET GTID_NEXT of 5\.6 is not in the model"):
        simulate(f"-- server: version=5.6 gtid=on enforce_gtid_consistency=on\n{OWNED}")


@pytest.mark.parametrize("markers", ["off", "on", "bits"])
def test_logs_with_empty_and_tagged_groups_are_sound(markers: str, tmp_path: Path) -> None:
    text = f"""-- server: markers={markers}
con1: CREATE TABLE t (a INT);
{OWNED}con1: COMMIT;
con1: SET GTID_NEXT = '{GTID}:tag:1';
con1: INSERT INTO t VALUES (1);
con1: FLUSH BINARY LOGS;
con1: SET GTID_NEXT = 'AUTOMATIC:tag';
con1: INSERT INTO t VALUES (2);
"""
    (first, second, _) = simulate(text.replace("con1: FLUSH", "con2: FLUSH")).write(tmp_path)
    for log in (first, second):
        checked = real("check", "--format=json", str(log))
        assert checked.status == 0, checked.out
    assert f"{GTID}:7:tag:1".encode() in real("dump", str(second)).out
