"""JSON documents come back with the types of their values, which JSON text does not tell apart."""

from tests.cli.conftest import real
from tests.corpus import TESTDATA

LOG = str(TESTDATA / "undo" / "json-types.000001")


def documents() -> dict[str, str]:
    """The expressions of the documents by the row's id."""
    result = real("redo", "--stop-position=958", LOG)
    assert (result.status, result.err) == (0, "")
    lines = [line for line in result.out.decode().splitlines() if line.startswith("INSERT")]
    return dict(line.partition(" VALUES (")[2].removesuffix(");").split(", ", 1) for line in lines)


def test_dates_decimals_bytes_and_unsigned_numbers_are_values_of_sql() -> None:
    assert documents()["1"] == (
        "JSON_ARRAY(CAST('2020-01-02' AS DATE), 1.50, 1.5e0, CAST('-10:00:00.500000' AS TIME(6)), X'00FF', "
        "CAST('2020-01-02 03:04:05.600000' AS DATETIME(6)), 5000000000, CAST(5 AS UNSIGNED), true, null, 'a''\\n', -7)"
    )


def test_a_document_that_text_gives_again_stays_text() -> None:
    assert documents()["2"] == """CAST('{"a": [5000000000, "text", 1.5]}' AS JSON)"""


def test_objects_are_written_with_their_keys() -> None:
    assert documents()["3"] == """JSON_OBJECT('e', JSON_ARRAY(), 'key "x"', JSON_OBJECT('d', 0.10))"""


def test_a_scalar_is_taken_out_of_an_array() -> None:
    assert documents()["4"] == "JSON_EXTRACT(JSON_ARRAY(CAST('2020-01-02' AS DATE)), '$[0]')"


def test_a_value_that_only_a_column_can_have_is_refused() -> None:
    result = real("undo", LOG)
    assert (result.status, result.out) == (1, b"")
    assert result.err == (
        f"ERROR: {LOG}, at 1646: a row of j.documents has a value in `document` that SQL cannot write: one that is "
        "damaged, or a JSON document with a BLOB's value. Use --format=binlog.\n"
    )
