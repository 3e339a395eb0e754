"""Changes that cannot be undone: each case made on a real server, after a workload."""

from dataclasses import dataclass

BOTH = ("mysql", "mariadb")


@dataclass(frozen=True)
class Refusal:
    """`setup` runs before the range, `statements` in it and `later` after it; `cleanup` at the end.

    `says` is a part of the sentence. `options` let the undo run, if there are some.
    """

    name: str
    statements: tuple[str, ...]
    says: str
    setup: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    cleanup: tuple[str, ...] = ()
    kinds: tuple[str, ...] = BOTH
    options: tuple[str, ...] = ()
    is_refused: bool = True
    """False: the head of the text says it."""


PLAIN = (
    "CREATE TABLE plain (id INT PRIMARY KEY, note VARCHAR(20), doc JSON)",
    "INSERT INTO plain VALUES (1, 'a', '{}')",
)
CHANGE = "UPDATE plain SET note = 'b' WHERE id = 1"

REFUSALS = [
    Refusal("a column added within the range", (CHANGE, "ALTER TABLE plain ADD more INT"), "ALTER TABLE", PLAIN),
    Refusal("a column added after the range", (CHANGE,), "ALTER TABLE", PLAIN, ("ALTER TABLE plain ADD more INT",)),
    Refusal("a table truncated within the range", (CHANGE, "TRUNCATE TABLE plain"), "TRUNCATE", PLAIN),
    Refusal("a table truncated after the range", (CHANGE,), "TRUNCATE", PLAIN, ("TRUNCATE TABLE plain",)),
    Refusal("a table dropped after the range", (CHANGE,), "DROP TABLE", PLAIN, ("DROP TABLE plain",)),
    Refusal("a table renamed after the range", (CHANGE,), "RENAME", PLAIN, ("RENAME TABLE plain TO other",)),
    Refusal(
        "a statement that changes rows",
        (
            "SET SESSION binlog_format = STATEMENT",
            "INSERT INTO plain (id) VALUES (2)",
            "SET SESSION binlog_format = ROW",
        ),
        "statement",
        PLAIN,
    ),
    Refusal(
        "an XA transaction that is undecided",
        ("XA START 'open'", CHANGE, "XA END 'open'", "XA PREPARE 'open'"),
        "XA",
        PLAIN,
        cleanup=("XA ROLLBACK 'open'",),
    ),
    Refusal(
        "a table of an engine without transactions",
        ("INSERT INTO mine VALUES (1), (2)",),
        "--allow-non-transactional",
        ("CREATE TABLE mine (id INT PRIMARY KEY) ENGINE=MyISAM",),
        options=("--allow-non-transactional",),
    ),
    Refusal(
        "a partial JSON without its before image",
        (
            "SET binlog_row_image = MINIMAL, binlog_row_value_options = PARTIAL_JSON",
            "UPDATE plain SET doc = JSON_SET(doc, '$.a', 1)",
            "UPDATE plain SET doc = JSON_SET(doc, '$.a', 2)",
            "SET binlog_row_image = FULL, binlog_row_value_options = ''",
        ),
        "",
        PLAIN,
        kinds=("mysql",),
    ),
    Refusal(
        "a system-versioned table",
        ("UPDATE versioned SET a = 2",),
        "versioned",
        (
            "CREATE TABLE versioned (id INT PRIMARY KEY, a INT) WITH SYSTEM VERSIONING",
            "INSERT INTO versioned VALUES (1, 1)",
        ),
        kinds=("mariadb",),
    ),
    Refusal(
        "a cascade that no log has",
        ("DELETE FROM mother WHERE id = 1",),
        "CASCADE",
        (
            "CREATE TABLE mother (id INT PRIMARY KEY)",
            "CREATE TABLE son (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES mother (id) ON DELETE CASCADE)",
            "INSERT INTO mother VALUES (1)",
            "INSERT INTO son VALUES (1, 1)",
        ),
        kinds=("mariadb",),
    ),
    Refusal(
        "a trigger that changes rows",
        ("INSERT INTO plain (id) VALUES (9)",),
        "trigger",
        (
            *PLAIN,
            "CREATE TABLE noted (id INT)",
            "CREATE TRIGGER note_it AFTER INSERT ON plain FOR EACH ROW INSERT INTO noted VALUES (NEW.id)",
        ),
        is_refused=False,
    ),
    Refusal(
        "rows of a temporary table in MIXED",
        (
            "SET SESSION binlog_format = MIXED",
            "CREATE TEMPORARY TABLE passing (id INT, u CHAR(36))",
            "INSERT INTO passing VALUES (1, 'x')",
            "INSERT INTO plain (id) SELECT id + 5 FROM passing",
            "SET SESSION binlog_format = ROW",
            "DROP TEMPORARY TABLE passing",
        ),
        "",
        PLAIN,
        kinds=("mariadb",),
    ),
]
