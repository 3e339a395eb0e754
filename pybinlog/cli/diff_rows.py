"""`diff --rows`: the rows that logs changed last, against those of a server."""

from collections.abc import Iterator, Sequence
from typing import Any

import click

from pybinlog.asof.base import NotSettledError
from pybinlog.asof.current import NotOwnLogsError, reaching, snapshots
from pybinlog.asof.moment import Moment
from pybinlog.asof.reading import Logs
from pybinlog.catalog import Catalog, Coordinates
from pybinlog.cli.environment import Environment
from pybinlog.cli.options.filter_options import names_of
from pybinlog.cli.server.connection import server_at
from pybinlog.difference.compare import Difference
from pybinlog.difference.replica import applied
from pybinlog.difference.rows import RowComparison
from pybinlog.feed.span import spans
from pybinlog.replication.server_log import DumpRequest, ServerLog
from pybinlog.replication.snapshot import Snapshot
from pybinlog.source.log_series import LogName
from pybinlog.views.definitions import CatalogsAlong
from pybinlog.visible import counted


class RowDifferences:
    """The differences of one run, and what is to be said if there are none. The rows are read in one snapshot."""

    def __init__(self, ctx: click.Context, environment: Environment, names: Sequence[str], values: dict[str, Any]):
        self._environment = environment
        self._names = names
        self._values = values
        self._options = server_at(ctx, values["server"], values, "")
        self._rules = names_of(values)
        self.same = ""
        """A sentence about what is equal."""

    def __iter__(self) -> Iterator[Difference]:
        for snapshot in snapshots(self._options, locks=self._values["lock"]):
            try:
                comparison = self._comparison(snapshot)
            except NotSettledError:
                continue
            yield from comparison
            self._say(comparison)
            return

    def _comparison(self, snapshot: Snapshot) -> RowComparison:
        now = Moment("", place=(snapshot.log, snapshot.position))
        others: Logs | None = None
        names = list(self._names)
        moment = now
        try:
            names = reaching(names, self._options, snapshot)
        except NotOwnLogsError:
            logs = list(snapshot.connection.logs())
            own = [ServerLog(self._options, DumpRequest(log)) for log in logs[: logs.index(snapshot.log) + 1]]
            moment, gtids, others_in = applied(names, own, snapshot, self._environment.remark)
            if gtids:
                others = self._logs(others_in, catalog_at(snapshot, now), gtids)
        catalog = catalog_at(snapshot, moment)
        limit = self._values["rows_per_second"]
        return RowComparison(self._logs(names, catalog), moment, snapshot, catalog, self._rules, limit, others)

    def _logs(self, names: Sequence[str], catalog: Catalog, gtids: str | None = None) -> Logs:
        wanted = spans(names)
        warn = self._environment.remark
        return Logs(names, wanted, lambda: CatalogsAlong(catalog, wanted, warn=warn), warn, include_gtids=gtids)

    def _say(self, comparison: RowComparison) -> None:
        self.same = f"{counted(comparison.same, 'row')} as the logs left them"
        if comparison.unknown:
            self._environment.remark(f"{counted(comparison.unknown, 'row')} not compared: the logs do not tell them")
        if comparison.changed:
            rows = counted(comparison.changed, "row")
            self._environment.remark(f"{rows} not compared: transactions that these logs lack changed them, too")


def catalog_at(snapshot: Snapshot, moment: Moment) -> Catalog:
    """Return the definitions of a snapshot, as of that place in logs."""
    assert moment.place is not None
    catalog = Catalog()
    catalog.read(snapshot.address, snapshot.tables)
    log, position = moment.place
    catalog.coordinates = Coordinates(LogName.of(log).base, position)
    return catalog
