"""The operation of a statement, by its verb."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pybinlog.kernel.scan.operation import operation_of
from pybinlog.verbs import VERBS, Operation

BEFORE_VERBS = (
    "",
    " \t\n",
    "/* DELETE */ ",
    "-- DELETE\n",
    "--\n# CREATE\n",
    "/*!50003 ",
    "/*M!100100 ",
    "/*! /* x */ ",
    "((",
    "SET STATEMENT max_statement_time=1 FOR ",
    "set statement a=(SELECT 1 FOR UPDATE), b='x FOR DELETE', c=`FOR CALL`/* FOR DO */ FOR ",
    "SET STATEMENT a='it\\'s FOR DO' FOR /*!50003 SET STATEMENT b=2 for ",
)


@pytest.mark.parametrize("before", BEFORE_VERBS)
@pytest.mark.parametrize("verb", VERBS)
def test_the_verb_decides_behind_whatever_stands_before_it(verb: str, before: str) -> None:
    for words in (verb, verb.lower(), verb.replace(" ", " /* y */\n"), verb + " t", verb + "/**/`t`"):
        assert operation_of((before + words).encode()) == VERBS[verb], (before, words)


@pytest.mark.parametrize("before", BEFORE_VERBS)
def test_a_verb_is_a_whole_word(before: str) -> None:
    for word in (
        "INSERTED",
        "delete_all",
        "UPDATE$",
        "CREATE1",
        "ALTERé",
        "KALL p()",
        "lbl: BEGIN NOT ATOMIC",
        "1",
        "",
    ):
        assert operation_of((before + word).encode()) == Operation.OTHER_OPERATION, word


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("WITH a AS (SELECT 1 FROM t WHERE x='DELETE') DELETE FROM t", Operation.DELETES),
        ("WITH RECURSIVE `update` (n) AS (SELECT 1), b AS (SELECT ')') UPDATE t SET a=1", Operation.UPDATES),
        ("/* c */ WITH a AS (SELECT f()) SELECT * FROM a", Operation.OTHER_OPERATION),
        ("WITH a AS (SELECT 1) (SELECT * FROM a)", Operation.OTHER_OPERATION),
        ("WITH a AS (DELETE", Operation.OTHER_OPERATION),
        ("SET STATEMENT a=1", Operation.OTHER_OPERATION),
        ("SET STATEMENT a='FOR DELETE FROM t", Operation.OTHER_OPERATION),
        ("SET PASSWORD FOR u = 'x'", Operation.CHANGES_NOTHING),
        ("SET @statement = 1", Operation.CHANGES_NOTHING),
        ("SELECT f()", Operation.OTHER_OPERATION),
        ("(SELECT f())", Operation.OTHER_OPERATION),
        ("ANALYZE UPDATE t SET a=1", Operation.OTHER_OPERATION),
        ("ANALYZE LOCAL TABLE t", Operation.CHANGES_NOTHING),
        ("BEGIN", Operation.CHANGES_NOTHING),
        ("BEGIN NOT ATOMIC DELETE FROM t; END", Operation.OTHER_OPERATION),
        ("LOAD INDEX INTO CACHE t", Operation.CHANGES_NOTHING),
        ("LOAD DATA INFILE 'x' INTO TABLE t", Operation.INSERTS),
        ("UPDATE`t`SET a=1", Operation.UPDATES),
        ("DELETE/*+ NO_ICP(t) */FROM t", Operation.DELETES),
    ],
)
def test_statements(text: str, operation: Operation) -> None:
    assert operation_of(text.encode()) == operation


@given(st.text("/*!M'\"`\\()- \n#1wS;").map(str.encode), st.sampled_from((b"", b"SET STATEMENT ", b"WITH ")))
def test_any_text_has_an_operation(text: bytes, before: bytes) -> None:
    assert operation_of(before + text) in tuple(Operation)
