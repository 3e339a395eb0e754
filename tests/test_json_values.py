"""The values of JSON columns for which Python has no type of its own."""

from pybinlog.json_values import JSON_NULL, JsonOperation, JsonOperationType


def test_the_null_of_json_is_false_and_not_none() -> None:
    assert (bool(JSON_NULL), repr(JSON_NULL), JSON_NULL == None) == (False, "JSON_NULL", False)  # noqa: E711


def test_operations_of_a_partial_update_have_their_numbers() -> None:
    assert [(kind.value, kind.name) for kind in JsonOperationType] == [(0, "REPLACE"), (1, "INSERT"), (2, "REMOVE")]
    assert JsonOperation(JsonOperationType.REMOVE, "$.a") == (2, "$.a", None)
