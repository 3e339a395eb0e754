"""`pybinlog dump`: which filters its options are, and what it warns of before it begins."""

from typing import Any

import pytest

from pybinlog.cli.commands.dump import warnings_about
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.dump.options import DumpOptions
from pybinlog.filters import NameRules
from tests.cli.conftest import parsed

DEFAULT = DumpOptions()
SHORT = "--short-form is deprecated, and a later version of MySQL will not have it."
BY_DATABASE = (
    "A statement matches by its verb and the tables that it changes. If its text does not say these, as CALL does not, "
    "it matches by its default database: too many or too few of such statements may be printed."
)
PARTS = (
    "--database may leave out parts of transactions but keeps all their GTIDs; to leave out whole transactions, use "
    "--include-gtids or --exclude-gtids."
)
NAMES = NameRules(databases=("a",))


@pytest.mark.parametrize(
    ("changed", "single", "warnings"),
    [
        ({}, True, []),
        ({"short_form": True}, True, [SHORT]),
        ({"names": NAMES}, True, [BY_DATABASE]),
        ({"operations": frozenset({"ddl"})}, True, [BY_DATABASE]),
        ({"database": "a"}, True, [PARTS]),
        ({"database": "a", "skip_gtids": True}, True, []),
        ({"start_position": 5, "stop_position": 6}, True, []),
        (
            {"start_position": 5, "stop_position": 5},
            True,
            ["--stop-position=5 is not behind --start-position=5: no event is printed."],
        ),
        ({"start_position": 5, "stop_position": 5}, False, []),
        ({"start_position": 4, "stop_position": 4}, True, []),
        ({"short_form": True, "names": NAMES, "database": "a"}, True, [SHORT, BY_DATABASE, PARTS]),
    ],
)
def test_a_dump_warns_of_what_its_options_do_not_do(changed: dict[str, Any], single: bool, warnings: list[str]) -> None:
    assert warnings_about(DEFAULT.replace(**changed), single=single) == warnings


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        ("--database=a", {"database": "a"}),
        ("--database=a*", {"names": NameRules(databases=("a*",))}),
        ("--database=`a`", {"names": NameRules(databases=("a",))}),
        ("--database=a,b", {"names": NameRules(databases=("a", "b"))}),
        ("-d a -d b", {"names": NameRules(databases=("a", "b"))}),
        ("-d a --table=t", {"names": NameRules(databases=("a",), tables=((None, "t"),))}),
        ("-d a --thread-id=7", {"names": NAMES, "thread_ids": frozenset({7})}),
        ("-d a --operation=ddl", {"names": NAMES, "operations": frozenset({"ddl"})}),
        ("-d a --event-type=xid", {"names": NAMES, "event_types": frozenset({16})}),
        ("-d a --server-id=3", {"database": "a", "server_id": 3}),
        ("-d a --server-id=3 --server-id=0", {"names": NAMES, "server_ids": frozenset({0, 3})}),
        ("-d a --resolve-xa=hold", {"names": NAMES, "resolve_xa": "hold"}),
        ("--ignore-database=a", {"names": NameRules(ignored_databases=("a",))}),
        ("--ignore-table=a.t", {"names": NameRules(ignored_tables=(("a", "t"),))}),
        ("--server-id=0", {}),
        ("--stop-position=18446744073709551614", {"stop_position": 18446744073709551614}),
        ("--stop-position=18446744073709551615", {}),
        ("-j 0-1-3 --stop-position=0-2-3", {"start_gtids": "0-1-3", "stop_gtids": "0-2-3"}),
        ("-j 0-1-3 --stop-position=1-2-1", {"start_gtids": "0-1-3", "stop_gtids": "1-2-1"}),
    ],
)
def test_one_plain_database_or_server_is_the_references_filter(arguments: str, changed: dict[str, Any]) -> None:
    assert parsed(*arguments.split(), "binlog.000001").options == DEFAULT.replace(**changed)


def test_a_stop_before_its_start_in_a_domain_is_refused() -> None:
    result = parsed("--start-position=0-1-9,1-1-4", "--stop-position=1-2-3", "binlog.000001")
    assert (result.status, result.err) == (
        1,
        "ERROR: --stop-position lies before --start-position in domain 1: 1-1-4 comes after 3. See pybinlog dump "
        "--help.\n",
    )


def test_statuses_are_those_of_shells() -> None:
    assert {status.name: status.value for status in ExitStatus} == {
        "OK": 0,
        "ERROR": 1,
        "USAGE": 2,
        "HUNG_UP": 129,
        "INTERRUPTED": 130,
        "QUIT": 131,
        "TERMINATED": 143,
    }
