"""Any statement gives a result, a server's error or a sentence about what the model lacks; no failure of Python's."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import SqlError
from pybinlog.simulate.sql.syntax import SetVariables

from .world import STRICT, World

TABLES = (
    "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), c DOUBLE)",
    "CREATE TABLE n (a INT, b VARCHAR(9)) ENGINE=MyISAM",
    "CREATE TABLE v (d INT AUTO_INCREMENT PRIMARY KEY, e DECIMAL(5,2), f BIT(3), g ENUM('x','y'), h SET('p','q'), "
    "i DATETIME(3), j TIMESTAMP NULL, k TIME(1), l YEAR, m BLOB)",
    "INSERT INTO t VALUES (1, 'x', 1.5), (2, NULL, NULL)",
    "INSERT INTO n VALUES (1, 'x'), (2, 'y')",
    "INSERT INTO v VALUES (1, 1, 1, 1, 1, NOW(), NOW(), '1:2:3', 2024, 'x')",
)
ATOMS = st.sampled_from(
    [
        *("a", "b", "c", "t.a", "n.b", "d", "1", "0", "2.5", "1e300", "1e400", "18446744073709551615", "9" * 65),
        *("NULL", "TRUE", "DEFAULT", "'x'", "'1.5x'", "''", "'2024-02-30'", "'1e999'", "'9999-12-31 23:59:59.9999999'"),
        *("X'ff'", "b'101'", "_latin1 X'e9'", "'ß'", "@x", "NOW(6)", "DATE'2024-01-01'", "TIME'800:59:59'", "UUID()"),
        *(
            "RAND()",
            "LAST_INSERT_ID()",
            "@@sql_mode",
            "VALUES(d)",
            "COUNT(*)",
            "(SELECT MAX(a) FROM t)",
            "0." + "0" * 40,
        ),
        *(
            "(SELECT a FROM t)",
            "EXISTS (SELECT 1 FROM n)",
            "LAST_INSERT_ID('x')",
            "REPEAT('a', -1)",
            "REPEAT('9', 400)",
        ),
    ]
)
OPERATORS = st.sampled_from("+ - * / DIV % = < <=> AND OR LIKE <> &".split())
FUNCTIONS = st.sampled_from("CONCAT COALESCE IF REPEAT UPPER LENGTH NOW SUM MIN AVG CONCAT_WS NOPE".split())
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{} {} {}".format, inner, OPERATORS, inner),
        st.builds("{}({})".format, st.sampled_from(["", "-", "NOT "]), inner),
        st.builds("{}({})".format, FUNCTIONS, st.lists(inner, max_size=3).map(", ".join)),
        st.builds("{} IN ({}, {})".format, inner, inner, inner),
        st.builds("{} {}".format, inner, st.sampled_from(["IS NULL", "IS NOT TRUE", "COLLATE utf8mb4_bin"])),
    ),
    max_leaves=6,
)
STATEMENTS = st.one_of(
    *(
        st.builds(text.format, EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
        for text in (
            "INSERT INTO t (a, b, c) VALUES ({}, {}, {})",
            "INSERT INTO v (d, e, f) VALUES ({}, {}, {})",
            "INSERT INTO v (g, h, i) VALUES ({}, {}, {})",
            "INSERT INTO v (j, k, l) VALUES ({}, {}, {})",
            "INSERT INTO v (d, m) VALUES ({}, {}) ON DUPLICATE KEY UPDATE e = {}",
            "INSERT INTO n SELECT {}, {} FROM t WHERE {}",
            "UPDATE t SET a = {}, b = {} WHERE {}",
            "UPDATE t, n SET t.a = {}, n.b = {} WHERE {}",
            "DELETE FROM t WHERE {} ORDER BY {} LIMIT 1",
            "SELECT {} FROM t LEFT JOIN n ON {} ORDER BY {}",
            "CREATE TABLE made SELECT {} AS q, {} AS r, {} AS s FROM t",
            "ALTER TABLE t ADD COLUMN z INT DEFAULT {}",
        )
    )
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STATEMENTS, min_size=1, max_size=4), st.booleans(), st.sampled_from([(5, 6, 24), (9, 7, 4)]))
def test_any_statement_is_run_or_refused(statements: list[str], strict: bool, version: tuple[int, ...]) -> None:
    world = World(version)
    for text in TABLES:
        world.run(text)
    world.session.sql_mode = STRICT if strict else frozenset()
    for text in statements:
        try:
            parsed = world.parse(text)
            assert not isinstance(parsed.node, SetVariables)
            error = world.effect(text).error
        except (SqlError, UnsupportedStatement) as problem:
            error = problem  # type: ignore[assignment]
        assert error is None or str(error)
        world.session.transaction.commit()
