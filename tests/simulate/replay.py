"""A corpus folder's workload on the simulated server that its server.txt describes."""

from __future__ import annotations

from dataclasses import replace

from pybinlog.simulate import LogEnd, Scenario, ServerOptions, Simulation, simulate
from tests.corpus import Scenario as Folder
from tests.corpus import scenarios

__all__ = ["folder", "options_of", "replayed"]

FIRST_QUERY_ID = {"5.6": 13, "9.7": 14}
"""The number of a workload's first statement on the servers of the corpus."""


def folder(name: str) -> Folder:
    return next(scenario for scenario in scenarios() if scenario.name == name)


def options_of(found: Folder) -> ServerOptions:
    """What server.txt says."""
    text = (found.folder / "server.txt").read_text()
    variables = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    version = variables["version"][:3]
    settings = [
        f"version={version}",
        f"format={variables['binlog_format']}",
        f"gtid={variables['gtid_mode']}",
        f"checksum={variables['binlog_checksum']}",
        f"rows_query={variables['binlog_rows_query_log_events']}",
        f"row_image={variables['binlog_row_image']}",
        f"row_metadata={variables.get('binlog_row_metadata', 'MINIMAL')}",
        f"time_zone={variables['time_zone']}",
        f"first_query_id={FIRST_QUERY_ID[version]}",
    ]
    return ServerOptions(end=LogEnd.ROTATE).with_settings(" ".join(settings))


def replayed(found: Folder, **more: object) -> Simulation:
    """The simulated logs of its workload."""
    workload = (found.folder / "workload.sql").read_bytes()
    options = replace(options_of(found), log_bin=found.logs[0].stem, **more)  # type: ignore[arg-type]
    return simulate(Scenario.parse(workload, str(found.folder / "workload.sql"), options))
