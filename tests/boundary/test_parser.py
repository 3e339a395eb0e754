"""pybinlog.boundary.parser: the worklog's transition table, cell by cell."""

import pytest

from pybinlog.boundary import BoundaryParser, BoundaryType, ParserState

STATES = {
    ParserState.NOT_DEFINED: [],
    ParserState.SELF_CONTAINED: [2],
    ParserState.START_TRANSACTION: [3],
    ParserState.INSIDE_TRANSACTION: [3, 4],
    ParserState.END_TRANSACTION: [3, 5],
}
"""Each parser state and the types that lead to it."""

# WL#4162, High-Level Specification. Columns: from Not Defined, Self Contained, Start, Inside, End.
TABLE = """
    2  ok  ok  err err ok
    3  ok  ok  err err ok
    4  err err ok  ok  err
    5  err err ok  ok  err
    6  err err err err err
    7  err err err err err
"""
CELLS = [
    (state, BoundaryType(int(row.split()[0])), cell == "ok")
    for row in TABLE.strip().splitlines()
    for state, cell in zip(STATES, row.split()[1:], strict=True)
]


def parser_in(state: ParserState) -> BoundaryParser:
    parser = BoundaryParser()
    for boundary in STATES[state]:
        assert parser.feed(boundary)
    assert parser.state is state
    return parser


@pytest.mark.parametrize(("state", "fed", "accepted"), CELLS)
def test_transition_table(state: ParserState, fed: BoundaryType, accepted: bool) -> None:
    parser = parser_in(state)
    assert parser.feed(fed) is accepted
    if accepted:
        assert int(parser.state) == int(fed)
        assert parser.refused is None
    else:
        assert parser.state is ParserState.ERROR
        assert parser.refused == (state, fed)


@pytest.mark.parametrize("state", STATES)
def test_ignore_boundary_keeps_the_state(state: ParserState) -> None:
    parser = parser_in(state)
    assert parser.feed(BoundaryType.IGNORE_BOUNDARY)
    assert parser.state is state


def test_the_error_state_lasts_until_reset() -> None:
    parser = BoundaryParser()
    assert not parser.feed(BoundaryType.INSIDE_TRANSACTION)
    for boundary in (2, 3, 4, 5, 6, 7):
        assert not parser.feed(boundary)
        assert parser.refused == (ParserState.ERROR, boundary)
    assert parser.feed(BoundaryType.IGNORE_BOUNDARY)
    assert parser.state is ParserState.ERROR
    parser.reset()
    assert parser.state.name == "NOT_DEFINED"
    assert parser.refused is None
    assert parser.feed(BoundaryType.START_TRANSACTION)


def test_the_sentence_of_a_refusal() -> None:
    parser = BoundaryParser()
    parser.feed(BoundaryType.INSIDE_TRANSACTION)
    assert parser.refused is not None
    assert parser.refused.message == "Unable to change boundary parser from Not Defined to Inside Transaction."
    parser = parser_in(ParserState.START_TRANSACTION)
    parser.feed(7)
    assert parser.refused is not None
    assert parser.refused.message == "Unable to change boundary parser from Start Transaction to Reserved (7)."


@pytest.mark.parametrize("number", [0, 8, -1, 255])
def test_what_is_no_place_in_a_transaction_cannot_be_fed(number: int) -> None:
    parser = parser_in(ParserState.START_TRANSACTION)
    with pytest.raises(ValueError):
        parser.feed(number)
    assert parser.state is ParserState.START_TRANSACTION
