"""How a table is defined in logs, some of which cannot be read."""

from pathlib import Path
from typing import Any

import pytest

from pybinlog.errors import BinlogError, CorruptEventError
from pybinlog.feed.span import Span
from pybinlog.views.options import ViewOptions
from pybinlog.views.table_survey import definitions_of, shape_in, table_shape
from tests.corpus import TESTDATA
from tests.views.tables import described

FULL = TESTDATA / "corpus" / "mysql-9.7" / "row-metadata-full" / "binlog.000001"
FOUND: list[Any] = [(b"shop", b"customer", ((described("a", "date"),), None, False), "b.000001", 100)]
OPTIONS = ViewOptions(view="table", tables=frozenset({("meta", "inv")}))


def test_the_first_log_that_cannot_be_read_is_why_there_is_no_table() -> None:
    errors = [CorruptEventError(text) for text in ("first", "second")]
    failed: list[Any] = [([], error) for error in errors]
    for surveys in (failed, [([], None), *failed]):
        with pytest.raises(CorruptEventError, match="first"):
            shape_in(surveys)
    assert [column.name for column in shape_in([([], errors[0]), (FOUND, None), ([], None)]).columns] == ["a"]
    with pytest.raises(BinlogError) as caught:
        shape_in([([], None)])
    assert (caught.value.message, caught.value.hint) == (
        "these logs have no rows of the table",
        "Its name is written as in the log, with the database: shop.customer; the view rows has all tables",
    )


def test_definitions_before_damage_are_found(tmp_path: Path) -> None:
    options = ViewOptions(view="table")
    whole, error = definitions_of(options, Span((str(FULL),)))
    assert error is None
    log = tmp_path / "b.000001"
    last = whole[-1][4]
    log.write_bytes(FULL.read_bytes()[: last + 30])
    cut, error = definitions_of(options, Span((str(log),)))
    assert len(cut) > 5
    assert [found[4] for found in cut] == [found[4] for found in whole[:-1]]
    assert error is not None
    assert error.position == last
    with pytest.raises(BinlogError, match="the log ends inside an event"):
        table_shape(ViewOptions(view="table", tables=frozenset({("meta", "nothing")})), [Span((str(log),))])


def test_the_survey_says_how_far_it_is() -> None:
    read: list[int] = []
    definitions_of(OPTIONS, Span((str(FULL),)), read.append)
    assert sum(read) == FULL.stat().st_size


def test_rows_of_all_kinds_define_their_table() -> None:
    """A filter of rows is not one of definitions."""
    whole, _ = definitions_of(OPTIONS, Span((str(FULL),)))
    none = ViewOptions(view="table", tables=OPTIONS.tables, operations=frozenset({"delete"}))
    assert definitions_of(none, Span((str(FULL),)))[0] == whole
