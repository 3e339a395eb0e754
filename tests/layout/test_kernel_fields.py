"""The fields that the kernel reads: it has the places, sizes and numbers of the declarations that it was built from."""

import re
from pathlib import Path

import pybinlog.kernel
from pybinlog.layout.kernel_fields import CODES, kernel_fields
from pybinlog.layout.query import QUERY_POST_HEADER_LENGTH


def numbers_of(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"^    ([A-Z][A-Z0-9_]+) = (\d+)$", text, re.MULTILINE)}


def test_the_kernel_was_built_from_these_declarations() -> None:
    built = Path(pybinlog.kernel.__file__).with_name("base") / "fields.pxi"
    assert built.read_text(encoding="utf-8") == kernel_fields()


def test_codes_and_flags_are_those_of_the_declarations() -> None:
    numbers = numbers_of(kernel_fields())
    for prefix, codes in CODES.items():
        assert {code.name: numbers[f"{prefix}_{code.name}"] for code in codes} == {code.name: code for code in codes}


def test_a_head_ends_before_the_first_field_whose_place_or_size_is_not_fixed() -> None:
    numbers = numbers_of(kernel_fields())
    heads = {name: size for name, size in numbers.items() if name.endswith("_HEAD")}
    assert heads["QUERY_HEAD"] == QUERY_POST_HEADER_LENGTH
    assert heads["EXECUTE_LOAD_QUERY_HEAD"] == QUERY_POST_HEADER_LENGTH + 13
    assert heads["GTID_HEAD"] == 25  # the logical clock may be absent
    assert heads["USER_VAR_HEAD"] == 4  # the name's length
    assert heads["ROTATE_HEAD"] == 8  # where there is a position
    assert "TABLE_MAP_HEAD" not in heads  # a table's id has 4 or 6 bytes
    assert numbers["MARIA_START_ENCRYPTION_NONCE_SIZE"] == 12


def test_a_status_variable_without_a_fixed_size_has_none() -> None:
    text = kernel_fields().partition("fixed_status_size")[2]
    assert "STATUS_SQL_MODE" in text
    assert "STATUS_INVOKER" not in text
    assert "STATUS_COMMIT_TS" not in text, "servers end the list there"
