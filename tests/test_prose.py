"""The look for sentences that make a reader stop."""

import pytest

from tests.prose import docstrings_in, findings_in, is_broken, texts_of_module, texts_of_page

HARD = {
    "opening": ["What a log holds.", "It is read. Whether it is whole, it says.", "Of a folder only the first."],
    "is no": ["'drop' is no operation.", "These are no numbers."],
    "asked for": ["No event is asked for."],
    "nobody": ["Nobody reads it.", "It is somebody else's."],
    "where": ["None where that is the first.", "Where a log ends early, it says so.", "DataLossError where it ends."],
    "long": ["The " + "many " * 30 + "words."],
}
PLAIN = [
    "Return the log after `name`, or None if it is the last.",
    "There is no other way, and it is no longer needed.",
    "The place where the event ends. It knows where it stands.",
    "What does a log hold?",
    "`None where that is code` stands in backticks.",
    "the " + "few " * 28 + "words.",
    "names " * 40,
]


@pytest.mark.parametrize("kind", HARD)
def test_a_hard_sentence_is_found(kind: str) -> None:
    assert [[found for found, _ in findings_in(text, measured=True)] for text in HARD[kind]] == [[kind]] * len(
        HARD[kind]
    )


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_sentence_is_left_alone(text: str) -> None:
    assert list(findings_in(text, measured=True)) == []


def test_a_module_has_docstrings_comments_and_messages() -> None:
    source = '"""One."""\nx = f"two and {x}, three"  # four\n# five\n# six\ny = "a-name"\n'
    assert sorted(texts_of_module(source)) == [
        (1, "One.", False),
        (2, "four", False),
        (2, "two and X, three", True),
        (3, "five\nsix", False),
    ]


def test_a_page_has_paragraphs_and_cells_but_no_code() -> None:
    page = "# Page\n\nOne\ntwo.\n\n```\ncode\n```\n| `a` | three |\n"
    assert [text for _, text, _ in texts_of_page(page) if text] == ["One\ntwo.", "X", "three"]


@pytest.mark.parametrize(
    ("docstring", "returns", "broken"),
    [
        ("Return the log.", "str", False),
        ("The log after this one.", "str", True),
        ("How many logs there are.", "int", True),
        ("Return True if the log is whole.", "bool", False),
        ("Return True if the log is whole, None if it is gone.", "bool | None", True),
    ],
)
def test_the_docstring_of_a_function_is_a_command(docstring: str, returns: str, broken: bool) -> None:
    source = f'def f() -> {returns}:\n    """{docstring}"""\n\n\n@property\ndef g():\n    """The log."""\n'
    ((_, found, answer),) = docstrings_in(source)
    assert (found, answer) == (docstring, returns)
    assert is_broken(found, answer, commands=True) is broken
    assert is_broken(found, answer, commands=False) is (broken and "True if" in docstring)
