"""Partial updates of JSON: the document they make is the one that plain Python makes."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pybinlog.kernel.rows.json_update import updated_json
from tests.layout.json_writer import write_json

KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=4)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
REPLACE, INSERT, REMOVE = range(3)


def lenenc(data: bytes) -> bytes:
    assert len(data) < 1 << 16
    return (bytes((len(data),)) if len(data) < 251 else b"\xfc" + len(data).to_bytes(2, "little")) + data


def operation(kind: int, path: str, value: Any = None) -> bytes:
    data = bytes((kind,)) + lenenc(path.encode())
    return data if kind == REMOVE else data + lenenc(write_json(value))


def leg(step: Any) -> str:
    return f"[{step}]" if isinstance(step, int) else f".{json.dumps(step, ensure_ascii=False)}"


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values of a document, its own first."""
    found = [path]
    if isinstance(document, (dict, list)):
        for step in document if isinstance(document, dict) else range(len(document)):
            found += places(document[step], (*path, step))
    return found


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


@settings(max_examples=100)
@given(DOCUMENTS, st.data())
def test_operations_are_applied_in_their_order(document: Any, data: st.DataObject) -> None:
    before = write_json(document)
    root = [document]
    log = b""
    for _ in range(data.draw(st.integers(0, 4))):
        path = data.draw(st.sampled_from(places(root[0])))
        kind = data.draw(st.sampled_from([REPLACE, INSERT, REMOVE] if path else [REPLACE, INSERT]))
        value = data.draw(DOCUMENTS)
        if kind == INSERT:
            inside = at(root[0], path)
            if isinstance(inside, list):
                step: Any = data.draw(st.integers(0, len(inside)))
                inside.insert(step, value)
            elif isinstance(inside, dict):
                step = data.draw(KEYS.filter(lambda key: key not in inside))  # noqa: B023 (drawn at once)
                inside[step] = value
            else:
                continue
            path = (*path, step)
        elif kind == REMOVE:
            del at(root[0], path[:-1])[path[-1]]
        elif path:
            at(root[0], path[:-1])[path[-1]] = value
        else:
            root[0] = value
        log += operation(kind, "$" + "".join(map(leg, path)), value)
    text = updated_json(before, log)
    assert text is not None
    assert json.loads(text) == root[0]
    # keys come in the server's order, as in a document that was written whole
    assert text == updated_json(write_json(root[0]), b"")


@pytest.mark.parametrize(
    "path",
    ["$.b", "$.a.b", "$[0]", "$.a[9]", "$.*", "$[last]", "$[]", "$.", "$[", '$."a', "", "a", "$.a[99999999999999]"],
)
def test_what_does_not_fit_the_document_stays_an_operation(path: str) -> None:
    text = updated_json(write_json({"a": [1]}), operation(REPLACE, path, True))
    assert json.loads(text or b"") == {"partial": [{"op": "replace", "path": path, "value": True}]}


def test_an_insert_of_a_key_that_is_there_does_not_fit() -> None:
    text = updated_json(write_json({"a": 1}), operation(INSERT, "$.a", 2))
    assert json.loads(text or b"") == {"partial": [{"op": "insert", "path": "$.a", "value": 2}]}


def test_without_the_document_there_are_the_operations() -> None:
    log = operation(INSERT, '$."x y"', {"é": [1]}) + operation(REMOVE, "$[2]")
    assert updated_json(None, log) == (
        '{"partial":[{"op":"insert","path":"$.\\"x y\\"","value":{"é": [1]}},{"op":"remove","path":"$[2]"}]}'.encode()
    )


@settings(max_examples=100)
@given(st.binary(max_size=40), st.binary(max_size=40))
def test_any_bytes_are_refused_or_make_json(before: bytes, log: bytes) -> None:
    text = updated_json(before, log)
    if text is not None:
        json.loads(text)


@pytest.mark.parametrize(
    ("written", "key"),
    [
        *[(f"\\{letter}", key) for letter, key in zip('btnfr"\\/', '\b\t\n\f\r"\\/', strict=True)],
        *[(rf"\u{code:04x}", chr(code)) for code in (0, 9, 10, 0x1A, 0x1F, 0x2F, 0x4A, 0x5F, 0x7F)],
        *[(rf"\u{code:04X}", chr(code)) for code in (0x1A, 0x1F, 0x4A, 0x5F, 0x7F)],
        (r"a\u0041b", "aAb"),
    ],
)
def test_a_key_of_a_path_may_be_escaped(written: str, key: str) -> None:
    text = updated_json(write_json({key: 1, "z": 2}), operation(REPLACE, f'$."{written}"', 7))
    assert json.loads(text or b"") == {key: 7, "z": 2}


@pytest.mark.parametrize(
    "written", [r"\u0080", r"\u00", r"\u00g1", r"\u00G1", r"\u00:1", r"\u00/1", r"\u00@1", r"\u00`1", r"\x", r"\u"]
)
def test_an_escape_that_the_server_does_not_write_is_no_key(written: str) -> None:
    log = operation(REPLACE, f'$."{written}"', 7)
    keys = {chr(code): 1 for code in range(1, 128)}
    text = updated_json(write_json(keys), log)
    assert json.loads(text or b"") == {"partial": [{"op": "replace", "path": f'$."{written}"', "value": 7}]}
