"""A corpus folder's workload on the simulated server that its server.txt describes."""

from dataclasses import replace
from functools import cache
from uuid import UUID

from pybinlog.event_types import EventType
from pybinlog.simulate import LogEnd, Scenario, ServerOptions, Simulation, simulate
from pybinlog.simulate.options import SERVER_UUID
from tests.corpus import Scenario as Folder
from tests.corpus import more_scenarios, scenarios
from tests.simulate.facts import each_fact, events

FIRST_NUMBER = 1000


def folder(name: str) -> Folder:
    return next(scenario for scenario in (*scenarios(), *more_scenarios("more")) if scenario.name == name)


def options_of(found: Folder) -> ServerOptions:
    """Return the options in server.txt."""
    text = (found.folder / "server.txt").read_text()
    variables = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    version = variables["version"][:3]
    settings = [
        f"version={version}",
        f"format={variables['binlog_format']}",
        f"gtid={variables['gtid_mode']}",
        f"server_uuid={server_uuid(found)}",
        f"enforce_gtid_consistency={variables['enforce_gtid_consistency']}",
        f"checksum={variables['binlog_checksum']}",
        f"rows_query={variables['binlog_rows_query_log_events']}",
        f"row_image={variables['binlog_row_image']}",
        f"row_metadata={variables.get('binlog_row_metadata', 'MINIMAL')}",
        f"time_zone={variables['time_zone']}",
    ]
    return ServerOptions(end=LogEnd.ROTATE).with_settings(" ".join(settings))


def server_uuid(found: Folder) -> UUID:
    """The UUID in the first GTID of the logs, or the model's own."""
    for log in found.logs:
        for event in events(log.read_bytes()):
            if event.header.event_type == EventType.GTID:
                return UUID(bytes=bytes(event.body.sid))
    return SERVER_UUID


@cache
def replayed(found: Folder, **more: object) -> Simulation:
    """The simulated logs of its workload, the statements counted from the number that the real server had reached."""
    return simulated(found, FIRST_NUMBER + shift(found), **more)


def simulated(found: Folder, first_query_id: int, **more: object) -> Simulation:
    return simulate(scenario_of(found, first_query_id, **more))


def scenario_of(found: Folder, first_query_id: int, **more: object) -> Scenario:
    name = found.folder / "workload.sql"
    options = replace(options_of(found), log_bin=found.logs[0].stem, first_query_id=first_query_id, **more)  # type: ignore[arg-type]
    return Scenario.parse(name.read_bytes(), str(name), options)


@cache
def shift(found: Folder) -> int:
    """By how much the numbers of the real server's transactions differ from those that begin at FIRST_NUMBER."""
    scenario = scenario_of(found, FIRST_NUMBER)
    number = 0
    for count in (8, 64, None):  # one of the first statements has a number, mostly
        some = replace(scenario, steps=scenario.steps[:count])
        if number := first_number(simulate(some).files[found.logs[0].name]):
            break
    return first_number(found.logs[0].read_bytes()) - number


def first_number(data: bytes) -> int:
    """The first number of a transaction that a log holds: of a Xid, or of DDL."""
    for fact in each_fact(data):
        if fact[0] == "XID":
            return int(fact[1])
        if fact[0] == "QUERY" and "DDL_LOGGED_WITH_XID" in fact[4]:
            return int(fact[4]["DDL_LOGGED_WITH_XID"])
    return 0
