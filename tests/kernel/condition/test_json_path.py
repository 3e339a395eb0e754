"""The values in a JSON document that a condition asks for by their paths, and their texts."""

import pytest

from tests.corpus import TESTDATA
from tests.where.answers import kept

LOG = TESTDATA / "undo" / "json-types.000001"
"""Its first documents: an array of a value of each type; {"a": [5000000000, "text", 1.5]}; {"e": [], "key \"x\"":
{"d": 0.10}}; and a date."""
OF_FIRST = [
    ("$[0]", "2020-01-02"),
    ("$[1]", "1.50"),
    ("$[2]", "1.5"),
    ("$[3]", "-10:00:00.500000"),
    ("$[5]", "2020-01-02 03:04:05.600000"),
    ("$[6]", "5000000000"),
    ("$[7]", "5"),
    ("$[8]", "true"),
    ("$[9]", "null"),
    ("$[10]", "a''\n"),
    ("$[11]", "-7"),
    ("$[0][0]", "2020-01-02"),
    ("$[11][0]", "-7"),
]


def ids(condition: str) -> list[int]:
    return [id for id in kept(LOG, condition, "drop") if id <= 4]


@pytest.mark.parametrize(("path", "text"), OF_FIRST)
def test_a_value_of_an_array_has_its_text(path: str, text: str) -> None:
    expected = [1, 4] if path == "$[0]" or path == "$[0][0]" else [1]
    assert ids(f"document->>'{path}' = '{text}'") == expected
    assert 1 not in ids(f"document->>'{path}' = '{text}x'")
    assert ids(f"document->>'{path}' LIKE '{text[:-1]}_'") == expected


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("document->>'$[12]' IS NULL", [1, 2, 3, 4]),
        ("document->>'$[11]' IS NOT NULL", [1]),
        ("document->>'$[0][1]' IS NULL", [1, 2, 3, 4]),
        ("document->>'$[0][0]' IS NOT NULL", [1, 2, 3, 4]),
        ("document->>'$[1]' IS NOT NULL", [1]),
        ("document->>'$.a' IS NOT NULL", [2]),
        ("document->>'$.b' IS NOT NULL", []),
        ("document->>'$.a[1]' = 'text'", [2]),
        ("document->>'$.a[3]' IS NULL", [1, 2, 3, 4]),
        ("document->>'$.a[2]' IS NOT NULL", [2]),
        ("document->>'$.a[0]' = 5000000000", [2]),
        ("document->>'$.a[0]' > 4999999999", [2]),
        ("document->>'$.a[0]' < 5000000000", []),
        ("document->>'$.a[2]' = 1.5", [2]),
        ("document->>'$.a[2]' > 1.4", [2]),
        ("document->>'$.a[2]' < 1.5", []),
        ("document->>'$.e' = '[]'", [3]),
        ('document->>\'$."key \\\\"x\\\\"".d\' = 0.1', [3]),
        ("document->>'$.\"key \\\\\"x\\\\\"\".d' = '0.10'", [3]),
        ("document->>'$[11]' < 0", [1]),
        ("document->>'$[1]' >= 1.5", [1]),
    ],
)
def test_a_path_leads_to_a_value_or_to_none(condition: str, found: list[int]) -> None:
    assert ids(condition) == found


def test_a_text_that_is_no_number_is_not_compared_with_one() -> None:
    assert ids("document->>'$.a[1]' = 0 OR document->>'$.a[1]' <> 0") == []
