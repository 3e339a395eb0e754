"""JSON documents in MySQL's binary form: the reader of logs makes the same values of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pybinlog
from pybinlog.asof.base_log import BaseLog
from pybinlog.catalog import Catalog
from pybinlog.catalog.tables import Known
from pybinlog.source import open_source
from pybinlog.values.json_binary import json_bytes

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


def read_back(text: str) -> Any:
    """Return what a log has of a document."""
    catalog = Catalog()
    catalog.read("test", "CREATE TABLE d.t (j JSON);")
    known = catalog.definitions.tables.get(("d", "t"))
    assert isinstance(known, Known)
    log = BaseLog(known.table, mariadb=False)
    log.add([text])
    with open_source(log.finish()) as source:
        data = b"".join(iter(lambda: source.read(1 << 20), b""))
    with pybinlog.open(data) as opened:
        (row,) = opened.rows()
    return row["after"]["j"]


@given(VALUES)
def test_a_document_is_read_back_as_it_was(value: object) -> None:
    assert read_back(json.dumps([value])) == [value]


def test_a_document_larger_than_offsets_of_two_bytes_is_read_back() -> None:
    value = {"long": "x" * 70_000, "list": list(range(20_000)), "last": {"a": [None, True]}}
    assert read_back(json.dumps(value)) == value


@pytest.mark.parametrize("text", ["1.50", "-0.10", "123456789012345678901234567890.5", "18446744073709551616"])
def test_a_number_whose_digits_are_not_those_of_a_double_is_a_decimal(text: str) -> None:
    assert str(read_back(f"[{text}]")[0]).rstrip("0") in (text.rstrip("0"), repr(float(text)).rstrip("0"))
    assert json_bytes(text)[0] == 15


@pytest.mark.parametrize("text", ["", "{", "nan x"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Extra"):
        json_bytes(text)
