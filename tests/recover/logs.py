"""The logs of testdata/recover: five transactions and a backup, seven more in two logs, of which the last is a DROP."""

from pathlib import Path

from pybinlog.recover.ending import Ending
from pybinlog.recover.plan import Plan, Request
from pybinlog.recover.planning import make_plan
from tests.corpus import TESTDATA

MYSQL, MARIADB = TESTDATA / "recover" / "mysql", TESTDATA / "recover" / "mariadb"
UUID = "36d605c5-eb3a-11f1-949c-02fc00000001"
WHOLE = Ending()


def logs_of(folder: Path) -> list[str]:
    return sorted(map(str, folder.glob("binlog.0*")))


def planned(
    folder: Path, ending: Ending = WHOLE, *, origin: str = "", names: list[str] | None = None, **more: str
) -> Plan:
    """Return the plan without a target."""
    request = Request(names or logs_of(folder), origin or str(folder / "backup.sql"), ending, more.get("without"))
    return make_plan(request, None, None, lambda _: None)
