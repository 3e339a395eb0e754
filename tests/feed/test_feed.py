"""The remarks and errors of feeds about the logs that they read."""

from typing import Any

import pytest

from pybinlog.errors import GapError
from pybinlog.feed.feed import Feed
from pybinlog.feed.policy import Policy
from pybinlog.feed.span import spans
from pybinlog.views.kernel_views import kernel_view
from pybinlog.views.options import ViewOptions
from tests.corpus import scenarios

LOGS = next([str(log) for log in found.logs] for found in scenarios() if found.name == "mysql-9.7/multi-file")
APART = [LOGS[0], LOGS[2]]


def rows_in(names: list[str], policy: Policy | None = None, **feeding: Any) -> tuple[int, list[str]]:
    said: list[str] = []
    feed = Feed(policy or Policy(), **{"warn": said.append, **feeding})
    view = kernel_view(ViewOptions(view="events"))
    count = 0
    for span in spans(names):
        for _ in feed.read(span, view):
            count += len(view.pop()["position"])
    return count, said


def test_a_missing_log_is_an_error_of_every_feed() -> None:
    with pytest.raises(GapError, match="is missing"):
        rows_in(APART)


def test_a_policy_lets_a_gap_pass_with_a_sentence() -> None:
    count, said = rows_in(APART, Policy(allow_gaps=True))
    assert count > 0
    assert [sentence for sentence in said if "is missing" in sentence] == said != []


@pytest.mark.parametrize("feeding", [{"is_first_pass": True}, {"in_order": False}], ids=str)
def test_a_feed_that_reads_again_or_in_no_order_finds_no_gap(feeding: dict[str, Any]) -> None:
    assert rows_in(APART, **feeding) == (rows_in(APART, Policy(allow_gaps=True))[0], [])


def test_a_first_pass_counts_no_statements() -> None:
    logs = next([str(log) for log in found.logs] for found in scenarios() if found.name == "mysql-9.7/statement")
    counted = []
    for first in (False, True):
        feed = Feed(Policy(), is_first_pass=first)
        for span in spans(logs):
            for _ in feed.read(span, view := kernel_view(ViewOptions(view="events"))):
                view.pop()
        counted.append(feed.remarks.unlogged)
    assert counted[0] is not None
    assert counted[1] is None
