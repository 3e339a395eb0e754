"""The facts about a statement that the binary log needs."""

import pytest

from pybinlog.errors import UnsupportedStatement
from pybinlog.event_types import EventType
from pybinlog.layout import Format, build_body, parse_body
from pybinlog.schema import SqlError
from pybinlog.schema.statement import DropTable
from pybinlog.simulate.sql.execute import value_of
from pybinlog.simulate.sql.row_writer import next_value
from pybinlog.simulate.sql.safety import Unsafe, tables_of, unsafe_of
from pybinlog.simulate.sql.syntax import Insert, SetVariables
from tests.layout.user_variables import user_var_value

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
        ("UPDATE t SET a = a + RAND()", [Unsafe.SYSTEM_FUNCTION]),
        ("INSERT INTO t VALUES (RAND(), NOW())", [Unsafe.SYSTEM_FUNCTION]),
        ("UPDATE t SET b = 'x' ORDER BY a LIMIT 1", [Unsafe.LIMIT]),
        ("INSERT INTO t SELECT a + 5, b FROM n LIMIT 1", [Unsafe.LIMIT]),
        ("SELECT * FROM t LIMIT 1", []),
        ("INSERT INTO auto (b) SELECT b FROM t", [Unsafe.WRITE_AUTOINC_SELECT]),
        ("INSERT INTO auto (b) VALUES ('x')", []),
        ("REPLACE INTO t SELECT a, b FROM n", [Unsafe.REPLACE_SELECT]),
        ("INSERT INTO t SELECT a, b FROM n ON DUPLICATE KEY UPDATE b = 'x'", [Unsafe.INSERT_SELECT_UPDATE]),
        ("INSERT INTO two VALUES (1, 1) ON DUPLICATE KEY UPDATE a = 2", [Unsafe.INSERT_TWO_KEYS]),
        ("INSERT INTO later (x) VALUES (1)", [Unsafe.AUTOINC_NOT_FIRST]),
    ],
)
def test_what_makes_a_statement_unsafe(world: World, statement: str, reasons: list[Unsafe]) -> None:
    assert unsafe_of(world.parse(statement), world.session) == reasons
    for reason in reasons:
        assert reason.value


@pytest.mark.parametrize(
    ("statement", "uses"),
    [
        ("INSERT INTO t VALUES (5, 'x')", [("t", False, True)]),
        ("INSERT INTO n SELECT * FROM t", [("n", False, True), ("t", True, False)]),
        ("INSERT INTO n SELECT * FROM n", [("n", True, True)]),
        ("UPDATE t SET b = (SELECT MAX(b) FROM n)", [("t", True, True), ("n", True, False)]),
        ("UPDATE t x, n y SET y.b = x.b WHERE x.a = y.a", [("t", True, False), ("n", True, True)]),
        ("UPDATE t x, auto y SET id = 9 WHERE x.a = y.id", [("t", True, False), ("auto", True, True)]),
        ("DELETE y FROM t x JOIN n y ON x.a = y.a", [("t", True, False), ("n", True, True)]),
        ("DELETE FROM t WHERE a = (SELECT MAX(a) FROM n)", [("t", True, True), ("n", True, False)]),
        ("SELECT * FROM t", [("t", True, False)]),
        ("DROP TABLE t, n", [("t", False, True), ("n", False, True)]),
    ],
)
def test_the_tables_of_a_statement(world: World, statement: str, uses: list[tuple[str, bool, bool]]) -> None:
    found = tables_of(world.parse(statement), world.session)
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
    assert world.run("UPDATE t SET a = a + RAND() * 0 WHERE a = 1").rand == (12345, 67890)
    assert (session.rand_seed1, session.rand_seed2) == (104925, 172848)


def assign(world: World, text: str) -> list[tuple[str, str, object]]:
    """Run a SET statement: its assignments with their values."""
    statement = world.parse(text)
    assert isinstance(statement.node, SetVariables)
    return [
        (setting.scope, setting.name, value_of(setting, statement, world.session))
        for setting in statement.node.settings
    ]


def test_user_variables_are_told_with_their_types(world: World) -> None:
    assign(world, "SET @i = 42, @s = 'text', @`odd name` = 15, @l = X'41', @n = NULL")
    effect = world.run("INSERT INTO n VALUES (@i, @s), (@`odd name`, @l), (@n, @s), (1, @never)")
    assert [variable.name for variable in effect.user_variables] == ["i", "s", "odd name", "l", "n", "never"]
    format = Format.default()
    values = []
    for variable in effect.user_variables:
        raw = build_body(EventType.USER_VAR, variable.body(), format)
        body = parse_body(EventType.USER_VAR, raw, format)
        values.append((user_var_value(body), body.charset))
    assert [str(value) for value, _ in values] == ["42", "text", "15", "b'A'", "None", "None"]
    assert [charset for _, charset in values] == [255, 255, 255, 63, None, None]


def test_a_decimal_in_a_user_variable_is_refused(world: World) -> None:
    with pytest.raises(UnsupportedStatement, match="@x: a DECIMAL, a date or a time in a user variable"):
        assign(world, "SET @x = 1.5")


def test_assignments_have_their_scope_and_words_stand_for_themselves(world: World) -> None:
    made = assign(world, "SET SESSION rand_seed1 = 1 + 1, @@global.x = ON, sql_mode = 'ansi', y = DEFAULT, @@z = words")
    assert made == [
        ("SESSION", "rand_seed1", 2),
        ("GLOBAL", "x", "ON"),
        ("SESSION", "sql_mode", "ansi"),
        ("SESSION", "y", None),
        ("SESSION", "z", "words"),
    ]
    names = world.parse("SET NAMES utf8mb4 COLLATE utf8mb4_bin").node
    assert isinstance(names, SetVariables)
    assert (names.settings[0].name, names.settings[0].words) == ("names", ("utf8mb4", "utf8mb4_bin"))


def test_the_server_words_some_statements_itself(world: World) -> None:
    made = world.run("CREATE TABLE copy SELECT * FROM t", row_format=True)
    assert made.log_texts == [
        ("CREATE TABLE `copy` (\n  `a` int NOT NULL,\n  `b` varchar(20) DEFAULT NULL\n) START TRANSACTION", True, False)
    ]
    assert [change.after for change in made.changes] == [(1, "one"), (2, "two")]
    assert world.run("CREATE TABLE again SELECT * FROM t").log_texts == []
    assert world.run("DROP TABLE IF EXISTS copy, n, nope").log_texts == [
        ("DROP TABLE IF EXISTS `n` /* generated by server */", False, False),
        ("DROP TABLE IF EXISTS `copy`,`nope` /* generated by server */", True, True),
    ]


def test_a_table_like_a_temporary_one_is_logged_by_its_definition_in_row_format(world: World) -> None:
    world.run("CREATE TEMPORARY TABLE x (a INT PRIMARY KEY) ENGINE=MyISAM")
    ((text, *_),) = world.run("CREATE TABLE y LIKE x", row_format=True).log_texts
    assert text == "CREATE TABLE `y` (\n  `a` int NOT NULL,\n  PRIMARY KEY (`a`)\n) ENGINE=MyISAM"
    assert world.run("CREATE TABLE z LIKE x").log_texts == []


def test_before_8_0_19_integers_have_a_width() -> None:
    world = World((5, 6, 24))
    world.run("CREATE TABLE t (a INT UNSIGNED PRIMARY KEY, b BIGINT, c VARCHAR(3) CHARACTER SET utf8mb4)")
    ((text, *_),) = world.run("CREATE TABLE copy SELECT * FROM t", row_format=True).log_texts
    assert text.splitlines() == [
        "CREATE TABLE `copy` (",
        "  `a` int(10) unsigned NOT NULL,",
        "  `b` bigint(20) DEFAULT NULL,",
        "  `c` varchar(3) CHARACTER SET utf8mb4 DEFAULT NULL",
        ")",
    ]


def test_the_default_of_a_bit_column_is_not_copied(world: World) -> None:
    world.run("CREATE TABLE bits (a BIT(3) NOT NULL, b BIT(3) DEFAULT b'10', c BIT(3) NOT NULL DEFAULT 5)")
    ((text, *_),) = world.run("CREATE TABLE copy SELECT * FROM bits", row_format=True).log_texts
    assert text.splitlines()[1:4] == [
        "  `a` bit(3) NOT NULL DEFAULT b'0',",
        "  `b` bit(3) DEFAULT NULL,",
        "  `c` bit(3) NOT NULL DEFAULT b'0'",
    ]


@pytest.mark.parametrize(("default", "text"), [("5", "b'101'"), ("b'10'", "b'10'"), ("X'07'", "b'111'")])
def test_the_default_of_a_bit_column_is_worded_in_bits(world: World, default: str, text: str) -> None:
    world.run(f"CREATE TEMPORARY TABLE x (a BIT(3) DEFAULT {default})")
    (logged,) = world.run("CREATE TABLE y LIKE x", row_format=True).log_texts
    assert logged.text == f"CREATE TABLE `y` (\n  `a` bit(3) DEFAULT {text}\n) ENGINE=InnoDB"


REFUSED = {
    "GRANT ALL ON *.* TO x": "statements that begin with 'GRANT ALL ON'",
    "CREATE VIEW v AS SELECT 1": "CREATE VIEW v",
    "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = 1": "a body with other statements than INSERT",
    "CREATE DEFINER = root@localhost TRIGGER g BEFORE INSERT ON t FOR EACH ROW DELETE FROM t": "DEFINER",
    "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t": "CREATE EVENT",
    "CREATE TABLE p (a INT, FOREIGN KEY (a) REFERENCES t (a))": "a foreign key",
    "CREATE TABLE p (a INT REFERENCES t (a))": "a foreign key",
    "CREATE TABLE p (a INT) ENGINE=BLACKHOLE": "the engine BLACKHOLE",
    "CREATE TABLE p (a INT) PARTITION BY HASH (a)": "a table with partitions",
    "CREATE TABLE p (a JSON)": "the column type json",
    "CREATE TABLE p (a POINT)": "the column type point",
    "CREATE TABLE p (a VECTOR(3))": "the column type vector",
    "CREATE TABLE p (a INT, b INT AS (a + 1))": "b: generated columns",
    "CREATE TABLE p (a VARCHAR(9) DEFAULT (UUID()))": "a default that is computed",
    "CREATE TABLE p (a INT, KEY ((a + 1)))": "a key on an expression",
    "CREATE TABLE p (a INT DEFAULT (SELECT 1))": "a subquery in a definition",
    "CREATE TABLE p IGNORE SELECT * FROM t": "CREATE TABLE ... IGNORE SELECT",
    "CREATE TABLE p SELECT NOW() x": "the computed column x",
    "ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES n (a)": "a foreign key",
    "ALTER TABLE t ORDER BY a": "ALTER TABLE ... ORDER",
    "INSERT INTO t VALUES (1, 'x') AS new ON DUPLICATE KEY UPDATE b = new.b": "an alias of the new row",
    "SELECT NTILE(2) OVER (ORDER BY a) FROM t": "a window function",
    "SELECT a FROM t GROUP BY a": "SELECT ... GROUP",
    "SELECT DISTINCT a FROM t": "SELECT DISTINCT",
    "SELECT 1 UNION SELECT 2": "SELECT ... UNION",
    "WITH x AS (SELECT 1) SELECT * FROM x": "statements that begin with 'WITH x AS'",
    "SELECT * FROM (SELECT 1) x": "a subquery or a nested join in the place of a table",
    "SELECT * FROM t RIGHT JOIN n ON t.a = n.a": "RIGHT after a table",
    "SELECT * FROM t JOIN n USING (a)": "USING after a table",
    "SELECT a FROM t LIMIT 1 + 1": "from '+ 1' on",
    "SELECT a FROM t LIMIT NULL": "from 'NULL' on",
    "SELECT a FROM t FOR UPDATE": "SELECT ... FOR",
    "SELECT COUNT(DISTINCT a) FROM t": "the function COUNT()",
    "SELECT GROUP_CONCAT(b ORDER BY a) FROM t": "'ORDER' in GROUP_CONCAT()",
    "SELECT SOUNDEX('x')": "the function SOUNDEX()",
    "SELECT JSON_ARRAY(1)": "the function JSON_ARRAY()",
    "SELECT ST_GEOMFROMTEXT('POINT(1 1)')": "the function ST_GEOMFROMTEXT()",
    "SELECT d.f(1)": "the function d.f()",
    "SELECT RAND(3)": "the function RAND(...)",
    "SELECT CAST('1' AS SIGNED)": "CAST",
    "SELECT CONVERT('1' USING latin1)": "CONVERT",
    "SELECT CASE WHEN 1 THEN 2 END": "CASE",
    "SELECT NOW() + INTERVAL 1 DAY": "INTERVAL",
    "SELECT 1 & 2": "the operator &",
    "SELECT 1 XOR 2": "the operator XOR",
    "SELECT 'a' REGEXP 'b'": "REGEXP",
    "SELECT (1, 2) = (1, 2)": "a row of several values",
    "SELECT @a := 5": ":=",
    "SELECT @@server_id": "the value of @@server_id",
    "SELECT BINARY 'a'": "the operator BINARY",
    "SELECT _latin1'a'": "_latin1 before a literal",
    "SELECT 'a' COLLATE utf8mb4_bin": "COLLATE",
    "SELECT DATE'2024-01-01'": "DATE'...'",
    "SELECT a FROM t WHERE b LIKE 'x'": "the operator LIKE",
    "SELECT a FROM t WHERE a BETWEEN 1 AND 2": "BETWEEN",
    "SELECT 1 <=> 2, 7 DIV 2": "the operator <=>",
    "SELECT LAST_INSERT_ID(5)": "the function LAST_INSERT_ID(...)",
    "SELECT AVG(a) FROM t": "the function AVG()",
    "SELECT MAX(a) + 1 FROM t": "the function MAX()",
    "SELECT b, MAX(a) FROM t": "MAX() beside other columns",
    "SELECT a FROM t WHERE a IN (SELECT a FROM n)": "IN (SELECT ...)",
    "SELECT a FROM t WHERE EXISTS (SELECT a FROM n)": "EXISTS",
    "SELECT (SELECT MAX(a) FROM n WHERE a < (SELECT 5))": "a subquery in a subquery",
    "UPDATE t SET b = (SELECT MAX(n.b) FROM n WHERE n.a < t.a)": "a column of the statement around it",
    "SELECT a FROM t LIMIT 1, 2": "LIMIT with an offset",
    "SELECT * FROM t LEFT JOIN n ON t.a = n.a": "LEFT after a table",
    "INSERT IGNORE INTO t VALUES (1, 'x')": "IGNORE",
    "UPDATE IGNORE t SET a = 1": "IGNORE",
    "DELETE FROM t USING t JOIN n ON t.a = n.a": "DELETE ... USING",
    "INSERT INTO t (a, b) VALUES (5, a)": "a among the values of INSERT",
    "INSERT INTO t VALUES (1, 'x') ON DUPLICATE KEY UPDATE b = VALUES(b)": "VALUES()",
    "SELECT a FROM t WHERE b = 5": "the text 'one' as a number",
    "SELECT CONCAT(1e0)": "a floating-point number as text",
    "SELECT NOW() + 1": "a date or a time as a number",
    "SELECT NOW() < 'x'": "the comparison of dates and times",
    "ALTER TABLE t ADD COLUMN c INT NOT NULL": "a new column without NULL and without a default",
    "ALTER TABLE t ADD COLUMN c DATE DEFAULT 20240101": "without separators",
    "SET CHARACTER SET utf8mb4": "SET CHARACTER SET",
    "SET @x = DEFAULT": "DEFAULT for a user variable",
    "ALTER DATABASE d CHARACTER SET latin1": "ALTER DATABASE is outside of the model",
    "CREATE TRIGGER g DURING INSERT ON t FOR EACH ROW DELETE FROM n": "from 'DURING INSERT",
    "CREATE TRIGGER g AFTER SELECT ON t FOR EACH ROW DELETE FROM n": "from 'SELECT ON t",
    "SELECT * FROM t INNER n": "from 'n' on",
    "SET = 5": "from '5' on",
    f"SELECT {'9' * 66}": "a number with more than 65 digits",
    "this is not SQL": "statements that begin with 'this is not'",
    "UPDATE t SET": "which ends too early",
    "INSERT INTO t VALUES (1, 'x') nonsense": "from 'nonsense' on",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_what_the_model_lacks_is_refused_by_name(world: World, statement: str) -> None:
    rows = world.rows("t")
    with pytest.raises(UnsupportedStatement) as refused:
        world.run(statement)
    assert refused.value.missing
    assert REFUSED[statement] in str(refused.value)
    assert world.rows("t") == rows


def test_what_does_not_fit_without_strict_mode_is_refused_where_no_nearest_value_is_known(world: World) -> None:
    world.run("CREATE TABLE d (a DATE NOT NULL)")
    world.session.sql_mode = frozenset()
    for statement in ("INSERT INTO d VALUES ('x')", "INSERT INTO d VALUES (NULL)", "INSERT INTO d VALUES ()"):
        with pytest.raises(UnsupportedStatement, match="what is stored in its place without strict mode"):
            world.run(statement)


def test_a_statement_refused_half_way_is_undone_in_every_table(world: World) -> None:
    with pytest.raises(UnsupportedStatement):
        world.run("INSERT INTO n VALUES (1, 'x'), (2 + 'y', 'z')")
    assert world.rows("n") == []


def test_comments_are_left_out_and_those_for_mysql_opened(world: World) -> None:
    statement = world.parse(b"/* a */ replace /*! into */ t -- b\n VALUES (1, '\xe2\x82\xac') # c")
    assert isinstance(statement.node, Insert)
    assert (statement.node.replaces, statement.is_dml, statement.is_ddl) == (True, True, False)
    dropped = world.parse("DROP TABLE x")
    assert (type(dropped.node), dropped.is_ddl) == (DropTable, True)
    for text, number in (("INSERT INTO t VALUES (1, 'open", 1064), ("/* nothing */", 1065)):
        with pytest.raises(SqlError) as failed:
            world.parse(text)
        assert failed.value.number == number


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


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE x",
        "CREATE TABLE x (a INT)",
        "SELECT * FROM x",
        "DROP TRIGGER x",
        "INSERT INTO x VALUES (1)",
        "TRUNCATE x",
        "RENAME TABLE x TO y",
        "ALTER TABLE x ADD b INT",
    ],
)
def test_a_table_is_in_a_database(statement: str) -> None:
    world = World()
    world.session.database = None
    with pytest.raises(SqlError, match=r"^ERROR 1046: No database selected$"):
        world.run(statement)


def _tables_to_drop(version: tuple[int, ...]) -> World:
    world = World(version)
    world.run("CREATE TABLE t (a INT) ENGINE=InnoDB")
    world.run("CREATE TABLE n (a INT) ENGINE=MyISAM")
    world.run("CREATE TEMPORARY TABLE x (a INT) ENGINE=InnoDB")
    return world


@pytest.mark.parametrize(
    ("statement", "text", "atomic"),
    [
        ("DROP TABLE t, n", "DROP TABLE `n`,`t` /* generated by server */", True),
        ("DROP TABLE n", "DROP TABLE `n` /* generated by server */", False),
        ("DROP TABLE IF EXISTS t, n, m", "DROP TABLE IF EXISTS `n`,`t`,`m` /* generated by server */", True),
    ],
)
def test_a_statement_with_a_gtid_drops_tables_in_one_group(statement: str, text: str, atomic: bool) -> None:
    world = _tables_to_drop((9, 7))
    world.session.one_group = True
    ((found, is_atomic, _),) = world.run(statement).log_texts
    assert (found, is_atomic) == (text, atomic)


def test_a_statement_with_a_gtid_drops_no_temporary_table_beside_others() -> None:
    world = _tables_to_drop((9, 7))
    world.session.one_group = True
    with pytest.raises(SqlError, match=r"^ERROR 1884: Cannot execute statement because it needs to be written to "):
        world.run("DROP TABLE t, x")
    assert (world.rows("t"), list(world.session.temporary)) == ([], [("d", "x")])


def test_5_6_drops_the_tables_that_exist() -> None:
    world = _tables_to_drop((5, 6, 24))
    effect = world.effect("DROP TABLE n, t, nope")
    assert str(effect.error) == "ERROR 1051: Unknown table 'd.nope'"
    assert effect.log_texts == [("DROP TABLE `n`,`t`,`nope` /* generated by server */", False, False)]
    assert world.storage.databases["d"].tables == {}


@pytest.mark.parametrize("row_format", [False, True])
def test_5_6_logs_temporary_tables_first(row_format: bool) -> None:
    texts = _tables_to_drop((5, 6, 24)).run("DROP TABLE n, x, t", row_format=row_format).log_texts
    temporary = [("DROP TEMPORARY TABLE `x` /* generated by server */", False, True)]
    assert texts == [*([] if row_format else temporary), ("DROP TABLE `n`,`t` /* generated by server */", False, False)]


def test_null_is_the_present_time_without_explicit_defaults_for_timestamp(world: World) -> None:
    world.session.explicit_defaults_for_timestamp = False
    world.run("CREATE TABLE times (a TIMESTAMP NOT NULL, b INT)")
    world.run("INSERT INTO times VALUES (NULL, 1)")
    assert world.effect("SELECT a FROM times WHERE b = 1").rows[0][0].text() == "2023-11-14 22:13:20"


@pytest.mark.parametrize(
    ("after", "increment", "offset", "value"),
    [
        (0, 1, 1, 1),
        (7, 1, 5, 8),
        (0, 10, 5, 5),
        (4, 10, 5, 5),
        (5, 10, 5, 15),
        (14, 10, 5, 15),
        (15, 10, 5, 25),
        (0, 10, 10, 10),
        (7, 5, 10, 10),
        (10, 5, 10, 15),
        (0, 2, 2, 2),
    ],
)
def test_the_series_of_auto_increment(after: int, increment: int, offset: int, value: int) -> None:
    """The manual's: offset, offset + increment ...; an offset that is larger than the increment is ignored."""
    assert next_value(after, increment, offset) == value


def test_values_of_the_insert_id_that_a_replica_is_told(world: World) -> None:
    world.session.insert_id = 50
    effect = world.run("INSERT INTO auto (b) VALUES ('x'), ('y')")
    assert (effect.intvar_insert_id, world.rows("auto")) == (50, [(50, "x"), (51, "y")])
    world.run("INSERT INTO auto VALUES (NULL, 'z'), (60, 'a'), (NULL, 'b')")
    assert [row[0] for row in world.rows("auto")] == [50, 51, 52, 60, 61]


def test_the_table_of_a_replace_that_changes_nothing(world: World) -> None:
    assert world.run("REPLACE INTO t VALUES (1, 'one')").changes == []
    changes = world.run("REPLACE INTO t VALUES (1, 'uno'), (3, 'three')").changes
    assert [(change.before, change.after) for change in changes] == [((1, "one"), (1, "uno")), (None, (3, "three"))]
    changes = world.run("REPLACE INTO two VALUES (1, 1), (2, 2), (1, 2)").changes[2:]
    assert [(change.before, change.after) for change in changes] == [((1, 1), None), ((2, 2), (1, 2))]


def test_a_trigger_on_a_table_with_auto_increment_is_unsafe(world: World) -> None:
    world.run("CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW INSERT INTO auto (b) VALUES ('x')")
    statement = world.parse("INSERT INTO t VALUES (5, 'x')")
    assert unsafe_of(statement, world.session) == [Unsafe.AUTOINC_COLUMNS]
    assert unsafe_of(world.parse("DELETE FROM t"), world.session) == []


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("INSERT INTO auto (b) VALUES ('x')", {0, 1}),
        ("INSERT INTO t (a) VALUES (9)", {0}),
        ("INSERT INTO t VALUES (9, 'x')", None),
        ("UPDATE t SET b = 'x' WHERE a = 1", {1}),
        ("REPLACE INTO t (a) VALUES (9)", {0}),
        ("INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 'x'", {0, 1}),
        ("DELETE FROM t WHERE a = 1", None),
    ],
)
def test_the_columns_that_a_statement_writes(world: World, statement: str, written: set[int] | None) -> None:
    (change,) = world.run(statement).changes
    assert change.written == written


@pytest.mark.parametrize(
    ("where", "tables"),
    [
        ("x.a = 1", ["n", "t"]),
        ("y.a = 1", ["n", "t"]),
        ("1 = y.a AND y.b IS NOT NULL", ["n", "t"]),
        ("x.a IN (1, 9)", ["t", "n"]),
        ("y.b = 'one'", ["t", "n"]),
    ],
)
def test_the_order_of_tables_of_a_join(world: World, where: str, tables: list[str]) -> None:
    """A row that a unique key names, perhaps by way of the other table, is read first, and deleted last since 8.0."""
    world.run("INSERT INTO n VALUES (1, 'one')")
    changes = world.run(f"DELETE x, y FROM t x JOIN n y ON x.a = y.a WHERE {where}").changes
    assert [change.table.name for change in changes] == tables


def test_a_table_that_is_there_is_not_created_of_rows(world: World) -> None:
    effect = world.run("CREATE TABLE IF NOT EXISTS t SELECT 9 AS a, 'x' AS b")
    assert (effect.logged, effect.changes) == (False, [])
    assert world.rows("t") == [(1, "one"), (2, "two")]
