"""docs/boundaries.md: its examples run, and its table of types is the library's."""

import doctest

from pybinlog.boundary import BoundaryType
from tests.corpus import PROJECT

PAGE = PROJECT / "docs" / "boundaries.md"


def test_examples() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 10
    assert results.failed == 0


def test_types() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for boundary in BoundaryType:
        assert boundary.printed_name in text
