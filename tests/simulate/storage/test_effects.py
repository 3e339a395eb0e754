"""What the binary log needs to know of a statement."""

from __future__ import annotations

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, parse_body, user_var_value
from pybinlog.simulate.storage import Kind, SqlError, Unsafe, assign, parse, row_groups, tables_of, unsafe_of

from .world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.run("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(20)) ENGINE=InnoDB")
    world.run("CREATE TABLE n (a INT, b VARCHAR(20)) ENGINE=MyISAM")
    world.run("CREATE TABLE auto (id INT AUTO_INCREMENT PRIMARY KEY, b VARCHAR(20)) ENGINE=InnoDB")
    world.run("CREATE TABLE two (a INT, b INT, UNIQUE KEY (a), UNIQUE KEY (b))")
    world.run("CREATE TABLE later (x INT, id INT AUTO_INCREMENT, KEY (x, id)) ENGINE=MyISAM")
    world.run("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    return world


@pytest.mark.parametrize(
    ("statement", "reasons"),
    [
        ("INSERT INTO t VALUES (5, 'x')", []),
        ("INSERT INTO t VALUES (5, NOW())", []),
        ("UPDATE t SET b = UUID()", [Unsafe.SYSTEM_FUNCTION]),
        ("INSERT INTO t VALUES (RAND(), USER())", [Unsafe.SYSTEM_FUNCTION]),
        ("UPDATE t SET b = 'x' ORDER BY a LIMIT 1", [Unsafe.LIMIT]),
        ("INSERT INTO t SELECT a + 5, b FROM n LIMIT 1", [Unsafe.LIMIT]),
        ("SELECT * FROM t LIMIT 1", []),
        ("INSERT INTO auto (b) SELECT b FROM t", [Unsafe.WRITE_AUTOINC_SELECT]),
        ("INSERT INTO auto (b) VALUES ('x')", []),
        ("INSERT IGNORE INTO t SELECT a, b FROM n", [Unsafe.INSERT_IGNORE_SELECT]),
        ("REPLACE INTO t SELECT a, b FROM n", [Unsafe.REPLACE_SELECT]),
        ("INSERT INTO t SELECT a, b FROM n ON DUPLICATE KEY UPDATE b = 'x'", [Unsafe.INSERT_SELECT_UPDATE]),
        ("INSERT INTO two VALUES (1, 1) ON DUPLICATE KEY UPDATE a = 2", [Unsafe.INSERT_TWO_KEYS]),
        ("UPDATE IGNORE t SET a = 1", [Unsafe.UPDATE_IGNORE]),
        ("INSERT INTO t VALUES (@@server_id, 'x')", [Unsafe.SYSTEM_VARIABLE]),
        ("INSERT INTO t VALUES (@@session.auto_increment_increment, 'x')", []),
        ("INSERT INTO later (x) VALUES (1)", [Unsafe.AUTOINC_NOT_FIRST]),
    ],
)
def test_what_makes_a_statement_unsafe(world: World, statement: str, reasons: list[Unsafe]) -> None:
    assert unsafe_of(parse(statement, world.session), world.session) == reasons
    for reason in reasons:
        assert reason.message


@pytest.mark.parametrize(
    ("statement", "uses"),
    [
        ("INSERT INTO t VALUES (5, 'x')", [("t", False, True)]),
        ("INSERT INTO n SELECT * FROM t", [("n", False, True), ("t", True, False)]),
        ("INSERT INTO n SELECT * FROM n", [("n", True, True)]),
        ("UPDATE t SET b = (SELECT MAX(b) FROM n)", [("t", True, True), ("n", True, False)]),
        ("UPDATE t x, n y SET y.b = x.b WHERE x.a = y.a", [("t", True, False), ("n", True, True)]),
        ("DELETE y FROM t x JOIN n y ON x.a = y.a", [("t", True, False), ("n", True, True)]),
        ("DELETE FROM t WHERE a IN (SELECT a FROM n)", [("t", True, True), ("n", True, False)]),
        ("SELECT * FROM t", [("t", True, False)]),
        ("DROP TABLE t, n", [("t", False, True), ("n", False, True)]),
    ],
)
def test_the_tables_of_a_statement(world: World, statement: str, uses: list[tuple[str, bool, bool]]) -> None:
    found = tables_of(parse(statement, world.session), world.session)
    assert [(use.table.name, use.read, use.written) for use in found] == uses
    if not statement.startswith("DROP"):
        effect = world.effect(statement)
        assert effect.error is None
        ran = {(use.table.name, use.read or use.written, use.written) for use in effect.tables}
        assert ran == {(name, True, written) for name, _, written in uses}


def test_values_that_a_statement_takes_from_the_session_are_told(world: World) -> None:
    session = world.session
    assert world.run("INSERT INTO auto (b) VALUES ('x'), ('y')").intvar_insert_id == 1
    effect = world.run("INSERT INTO t VALUES (LAST_INSERT_ID() + 10, 'x')")
    assert (effect.intvar_last_insert_id, effect.intvar_insert_id) == (1, None)
    session.insert_id = 50
    assert world.run("INSERT INTO auto (b) VALUES ('z')").intvar_insert_id == 50
    assert session.insert_id is None
    session.rand_seed1, session.rand_seed2 = 12345, 67890
    assert world.run("UPDATE t SET b = LEFT(RAND(), 9) WHERE a = 1").rand == (12345, 67890)
    assert (session.rand_seed1, session.rand_seed2) == (104925, 172848)
    assert world.run("UPDATE t SET b = LEFT(RAND(3), 9) WHERE a = 1").rand is None


def test_user_variables_are_told_with_their_types(world: World) -> None:
    session = world.session
    assert assign("SET @i = 42, @s = 'text', @`odd name` = 1.5, @l = _latin1 X'e9', @n = NULL", session) == []
    effect = world.run("INSERT INTO n VALUES (@i, @s), (@`odd name`, @l), (@n, @s), (1, @never)")
    assert [variable.name for variable in effect.user_variables] == ["i", "s", "odd name", "l", "n", "never"]
    format = Format.default()
    values = []
    for variable in effect.user_variables:
        raw = build_body(EventType.USER_VAR, variable.body(), format)
        body = parse_body(EventType.USER_VAR, raw, format)
        values.append((user_var_value(body), body.charset))
    assert [str(value) for value, _ in values] == ["42", "text", "1.5", "é", "None", "None"]
    assert [charset for _, charset in values] == [255, 255, 255, 8, None, None]


def test_assignments_to_system_variables_are_handed_back(world: World) -> None:
    made = assign("SET SESSION rand_seed1 = 1 + 1, @@global.x = ON, sql_mode = 'ansi', y = DEFAULT", world.session)
    assert [(item.scope, item.name, item.value) for item in made[:3]] == [
        ("SESSION", "rand_seed1", 2),
        ("GLOBAL", "x", "ON"),
        ("SESSION", "sql_mode", "ansi"),
    ]
    assert repr(made[3].value) == "DEFAULT"
    (names,) = assign("SET NAMES utf8mb4 COLLATE utf8mb4_bin", world.session)
    assert (names.name, names.value) == ("names", ("utf8mb4", "utf8mb4_bin"))


def test_the_server_words_some_statements_itself(world: World) -> None:
    made = world.run("CREATE TABLE copy SELECT * FROM t", row_format=True)
    assert made.log_text == (
        "CREATE TABLE `copy` (\n  `a` int NOT NULL,\n  `b` varchar(20) DEFAULT NULL\n) START TRANSACTION"
    )
    assert [change.after for change in made.changes] == [(1, "one"), (2, "two")]
    assert world.run("CREATE TABLE again SELECT * FROM t").log_text is None
    dropped = world.run("DROP TABLE IF EXISTS copy, n, nope")
    assert (dropped.log_text, dropped.atomic_ddl) == (
        "DROP TABLE IF EXISTS `n`,`nope` /* generated by server */",
        False,
    )
    assert dropped.more_log_texts == [("DROP TABLE IF EXISTS `copy` /* generated by server */", True)]
    world.run("CREATE FUNCTION f(x INT) RETURNS INT DETERMINISTIC BEGIN INSERT INTO t VALUES (x, 'f'); RETURN x; END")
    assert world.effect("SELECT f(7)").log_text == "SELECT `d`.`f`(7)"
    assert not world.effect("SELECT 1").needs_log


def test_before_8_0_19_integers_have_a_width() -> None:
    world = World((5, 6, 24))
    world.run("CREATE TABLE t (a INT UNSIGNED PRIMARY KEY, b BIGINT, c VARCHAR(3) CHARACTER SET utf8mb4)")
    made = world.run("CREATE TABLE copy SELECT * FROM t", row_format=True)
    assert made.log_text is not None
    assert made.log_text.splitlines() == [
        "CREATE TABLE `copy` (",
        "  `a` int(10) unsigned NOT NULL,",
        "  `b` bigint(20) DEFAULT NULL,",
        "  `c` varchar(3) CHARACTER SET utf8mb4 DEFAULT NULL",
        ")",
    ]


def test_rows_of_one_event(world: World) -> None:
    effect = world.run("INSERT INTO t VALUES (5, REPEAT('x', 20)), (6, 'y'), (7, 'z')")
    assert [len(group.images) for group in row_groups(effect.changes)] == [3]
    assert [len(group.images) for group in row_groups(effect.changes, max_size=30)] == [1, 2]
    effect = world.run("UPDATE t SET b = 'same'")
    (group,) = row_groups(effect.changes, row_image="MINIMAL")
    assert (group.before, group.after, group.kind) == (b"\x01", b"\x02", "update")
    assert world.run("UPDATE t SET b = 'same'").changes == []


@pytest.mark.parametrize(
    "statement",
    [
        "GRANT ALL ON *.* TO x",
        "CREATE VIEW v AS SELECT 1",
        "SELECT NTILE(2) OVER (ORDER BY a) FROM t",
        "INSERT DELAYED INTO t VALUES (1)",
        "CREATE TABLE p (a INT, FOREIGN KEY (a) REFERENCES t (a))",
        "CREATE TABLE p (a INT) ENGINE=BLACKHOLE",
        "SELECT SOUNDEX('x')",
        "SELECT * FROM t RIGHT JOIN n ON t.a = n.a",
        "CREATE FUNCTION f() RETURNS INT BEGIN IF 1 THEN RETURN 1; END IF; RETURN 2; END",
        "this is not SQL",
    ],
)
def test_what_the_model_lacks_is_refused_by_name(world: World, statement: str) -> None:
    rows = world.rows("t")
    with pytest.raises(UnsupportedStatement) as refused:
        world.run(statement)
    assert refused.value.missing
    assert "\ue000" not in str(refused.value)
    assert world.rows("t") == rows


def test_a_statement_refused_half_way_is_undone_in_every_table(world: World) -> None:
    with pytest.raises(UnsupportedStatement):
        world.run("INSERT INTO n VALUES (1, 'x'), (2, SOUNDEX('y'))")
    assert world.rows("n") == []


def test_kinds_of_statements(world: World) -> None:
    statement = parse(b"/* a */ replace /*! into */ t VALUES (1, '\xe2\x82\xac')", world.session)
    assert (statement.kind, statement.is_dml, statement.commits_implicitly) == (Kind.REPLACE, True, False)
    assert parse("CREATE TEMPORARY TABLE x (a INT)", world.session).temporary
    assert not parse("CREATE TEMPORARY TABLE x (a INT)", world.session).commits_implicitly
    assert parse("DROP TABLE x", world.session).commits_implicitly
    assert parse("INSERT INTO t VALUES (1, 'open", world.session).error is not None


def test_sql_modes_change_how_text_is_read(world: World) -> None:
    session = world.session
    assert world.effect(r"SELECT 'a\nb', 'it''s', \"x\", 'a' 'b'".replace('\\"', '"')).rows == [
        ("a\nb", "it's", "x", "ab")
    ]
    session.sql_mode = frozenset({"NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "PIPES_AS_CONCAT"})
    assert world.effect(r"""SELECT 'a\nb', 'a' || 'b' FROM "t" WHERE "a" = 1""").rows == [(r"a\nb", "ab")]
    session.sql_mode = frozenset()
    session.character_set_client = 8
    assert world.effect(b"SELECT 'caf\xe9'").rows == [("café",)]


def test_errors_know_their_number(world: World) -> None:
    for statement, number in (("SELECT * FROM nope", 1146), ("CREATE DATABASE d", 1007), ("SELECT nope", 1054)):
        with pytest.raises(SqlError) as failed:
            world.run(statement)
        assert failed.value.number == number
        assert failed.value.symbol.startswith("ER_")


def test_a_routine_runs_with_the_sql_mode_that_it_was_created_with(world: World) -> None:
    """As a server of 9.7 does: arguments are stored by the caller's mode, what the body does by its own."""
    world.session.sql_mode = frozenset({"PIPES_AS_CONCAT", "STRICT_ALL_TABLES"})
    world.run("CREATE FUNCTION joined(x VARCHAR(3)) RETURNS VARCHAR(20) DETERMINISTIC RETURN x || '!'")
    world.session.sql_mode = frozenset()
    world.run("CREATE TABLE short (a VARCHAR(3))")
    world.run("CREATE TRIGGER cut BEFORE INSERT ON short FOR EACH ROW SET NEW.a = 'toolong'")
    world.run("INSERT INTO t VALUES (8, joined('abcdef'))")
    world.session.sql_mode = frozenset({"STRICT_ALL_TABLES"})
    world.run("INSERT INTO short VALUES ('x')")
    assert world.rows("t")[-1] == (8, "abc!")
    assert world.rows("short") == [("too",)]
