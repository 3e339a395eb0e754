"""pybinlog.boundary.stream: runs of events as functions, against the same events read one after the other."""

import pickle
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.boundary import BoundaryFunction, BoundaryStream, GroupState, ParserState, StreamState
from pybinlog.errors import CorruptEventError
from tests.boundary.event import INTACT, event, format_description, maria_gtid, query, rotate, scenario_events, walk
from tests.corpus import Scenario

STATES = [
    StreamState(group, always, parser)
    for parser, group, always in product(
        [state for state in ParserState if state is not ParserState.ERROR], GroupState, (False, True)
    )
]

markers = st.sampled_from([0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7])
texts = st.sampled_from([b"BEGIN", b"COMMIT", b"ROLLBACK", b"XA START X'61',X'',1", b"XA END X'61',X'',1", b"CREATE"])
versions = st.sampled_from([b"5.6.51", b"9.7.4", b"10.11.6-MariaDB", b"5.5.60-MariaDB"])
events = st.lists(
    st.one_of(
        st.builds(event, st.sampled_from([3, 5, 16, 19, 26, 28, 30, 33, 35, 37, 40, 200]), marker=markers),
        st.builds(event, st.sampled_from([3, 35, 200]), flags=st.sampled_from([0x40, 0x80, 0xC0])),
        st.builds(query, texts, event_type=st.sampled_from([2, 165]), marker=markers),
        st.builds(maria_gtid, standalone=st.booleans()),
        st.builds(format_description, versions, flags=st.sampled_from([0, 0x40])),
        st.builds(rotate, st.just(b"binlog.000002"), flags=st.sampled_from([0, 0, 0x20, 0x40])),
    ),
    max_size=12,
)


def one_by_one(state: StreamState, run: list[bytes]) -> StreamState:
    stream = BoundaryStream(state)
    for raw in run:
        stream.feed(raw)
    return stream.state


def test_states_are_numbered_from_the_first_state_of_a_stream() -> None:
    assert [state.number for state in STATES] == list(range(30))
    assert [StreamState.of_number(number) for number in range(30)] == STATES
    assert StreamState().number == 0
    with pytest.raises(ValueError):
        StreamState.of_number(30)
    with pytest.raises(ValueError, match="reset"):
        _ = StreamState(parser=ParserState.ERROR).number


@settings(max_examples=40)
@given(run=events)
def test_a_function_does_what_its_events_do(run: list[bytes]) -> None:
    function = BoundaryFunction.of(run)
    for state in STATES:
        assert function(state) == one_by_one(state, run)


@settings(max_examples=40)
@given(a=events, b=events)
def test_the_function_of_two_runs_is_their_composition(a: list[bytes], b: list[bytes]) -> None:
    form = next((raw for raw in reversed(a) if raw[4] == 15), None)
    assert BoundaryFunction.of(a).then(BoundaryFunction.of(b, form)) == BoundaryFunction.of(a + b)


@settings(max_examples=40)
@given(a=events, b=events, c=events)
def test_composition_is_associative(a: list[bytes], b: list[bytes], c: list[bytes]) -> None:
    f, g, h = (BoundaryFunction.of(run) for run in (a, b, c))
    assert f.then(g).then(h) == f.then(g.then(h))


@settings(max_examples=40)
@given(run=events)
def test_identity(run: list[bytes]) -> None:
    identity = BoundaryFunction.identity()
    function = BoundaryFunction.of(run)
    assert BoundaryFunction.of([]) == identity
    assert identity.then(function) == function == function.then(identity)
    assert all(identity(state) == state for state in STATES)


@settings(max_examples=40)
@given(run=events)
def test_events_that_are_not_fed_move_the_classifier_alone(run: list[bytes]) -> None:
    function = BoundaryFunction.of(run, fed=False)
    for state in STATES:
        stream = BoundaryStream(state)
        for raw in run:
            stream.feed(raw, to_parser=False)
        assert function(state) == stream.state


def test_a_function_is_a_value() -> None:
    function = BoundaryFunction.of([query(b"BEGIN"), event(19)])
    assert pickle.loads(pickle.dumps(function)) == function
    assert len({function, BoundaryFunction(function.image), BoundaryFunction.identity()}) == 2
    assert function != function.image
    for image in (b"", bytes(29), bytes([30]) * 30):
        with pytest.raises(ValueError):
            BoundaryFunction(image)


def test_a_broken_event_is_an_error() -> None:
    with pytest.raises(CorruptEventError):
        BoundaryFunction.of([b"short"])
    with pytest.raises(CorruptEventError):
        BoundaryFunction.of([], event(15))


def test_the_format_in_force_is_that_of_the_run_before() -> None:
    with_checksums = format_description(b"5.6.51", checksum=True)
    run = [query(b"BEGIN") + b"abcd"]
    assert BoundaryFunction.of(run, with_checksums)(StreamState()).parser is ParserState.START_TRANSACTION
    assert BoundaryFunction.of(run)(StreamState()).parser is ParserState.SELF_CONTAINED


@pytest.mark.parametrize("scenario", INTACT, ids=repr)
@settings(max_examples=3)
@given(data=st.data())
def test_a_log_in_parts_is_the_log_in_one(scenario: Scenario, data: st.DataObject) -> None:
    """Two passes over the parts of a file find the states and the warnings that one pass in order finds."""
    log = data.draw(st.sampled_from(scenario.logs))
    whole = [raw for _, raw in walk(log)][:600]
    hole = data.draw(st.integers(0, len(whole)))
    del whole[hole : hole + data.draw(st.integers(0, 3))]  # so that there are warnings, too
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    bounds = [0, *cuts, len(whole)]
    parts = [whole[a:b] for a, b in pairwise(bounds)]

    formats: list[bytes | None] = []
    in_force: bytes | None = None
    for part in parts:
        formats.append(in_force)
        in_force = next((raw for raw in reversed(part) if raw[4] == 15), in_force)
    functions = [BoundaryFunction.of(part, form) for part, form in zip(parts, formats, strict=True)]

    found = []
    entry = StreamState()
    for part, form, function in zip(parts, formats, functions, strict=True):
        stream = BoundaryStream(entry, form)
        found += [stream.feed(raw) for raw in part]
        entry = function(entry)
        assert stream.state == entry

    in_order = BoundaryStream()
    assert found == [in_order.feed(raw) for raw in whole]


def test_a_whole_scenario_as_one_function() -> None:
    scenario = INTACT[0]
    run = [raw for _, _, raw in scenario_events(scenario)]
    assert BoundaryFunction.of(run)(StreamState()) == one_by_one(StreamState(), run)
