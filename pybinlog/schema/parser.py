"""Reads the statements that define databases and tables.

Source: the manual, "Data Definition Statements".
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pybinlog.schema import passed_over, statement
from pybinlog.schema.column import PRIMARY, Key
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.declaration_parser import at_key, declaration, default_value, key, key_options, key_parts
from pybinlog.schema.dialect import MYSQL, Dialect
from pybinlog.schema.expression import Null
from pybinlog.schema.lexer import TokenKind

_IGNORED_OPTIONS = frozenset(
    "ROW_FORMAT KEY_BLOCK_SIZE STATS_PERSISTENT STATS_AUTO_RECALC STATS_SAMPLE_PAGES AVG_ROW_LENGTH CHECKSUM "
    "DELAY_KEY_WRITE MAX_ROWS MIN_ROWS PACK_KEYS ENCRYPTION COMPRESSION".split()
)
"""Table options that change nothing of what a table's columns hold."""


def parse(
    text: str, sql_mode: frozenset[str] = frozenset(), *, dialect: Dialect = MYSQL
) -> statement.Definition | None:
    """Return the definition that a statement is; None for a statement that defines no table or database.

    Statements of MySQL and of MariaDB are read. What says nothing of a column's name and type and is not understood
    (partitions, foreign keys, options ...) is skipped. `dialect` is as in `tokens_of`. Raise SqlError 1064 for text
    that is no SQL, UnsupportedStatement for any other thing that is not known.
    """
    cursor = Cursor(text, sql_mode, dialect=dialect)
    found = read_definition(cursor)
    if found is not None and not cursor.at_end and not (isinstance(found, statement.CreateTable) and found.selects):
        raise cursor.unknown()
    return found


def read_definition(cursor: Cursor) -> statement.Definition | None:
    """Return the definition that begins at the cursor, as of `parse`. The cursor is then at its end.

    For CREATE TABLE ... SELECT that is where the query begins, with the words IGNORE, REPLACE and AS before it.
    `passed` of the cursor has an error for each part that was skipped.
    """
    other = passed_over.other_statement(cursor)
    if other is not None:
        return other
    word, second = cursor.peek().word, cursor.peek(1).word
    if second == "TEMPORARY":
        second = cursor.peek(2).word
    if word == "TRUNCATE":
        cursor.read()
        cursor.accept("TABLE")
        emptied = statement.TruncateTable(cursor.path())
        passed_over.wait(cursor)
        if cursor.accept_one("DROP", "REUSE"):
            cursor.expect("STORAGE")
        return emptied
    if word == "RENAME" and second in ("TABLE", "TABLES"):
        return _rename(cursor)
    if second in ("DATABASE", "SCHEMA") and word in ("CREATE", "ALTER", "DROP"):
        return _database(cursor)
    if second == "TABLE" or (word == "DROP" and second in ("TABLES", "SEQUENCE")):
        if word == "CREATE":
            return _create(cursor)
        if word == "ALTER":
            return _alter(cursor)
        if word == "DROP":
            return _drop(cursor)
    if word == "CREATE" and (second == "INDEX" or cursor.peek(2).word == "INDEX"):
        return cursor.tolerate(lambda: _create_index(cursor), cursor.pass_rest)
    if word == "DROP" and second == "INDEX":
        if cursor.peek(2).text.upper() == PRIMARY:
            return _drop_index(cursor)  # this one counts, for its columns are never NULL
        return cursor.tolerate(lambda: _drop_index(cursor), cursor.pass_rest)
    return None


def _database(cursor: Cursor) -> statement.Definition:
    word = cursor.read().word
    cursor.read()
    if word == "DROP":
        if_exists = cursor.accept("IF", "EXISTS")
        return statement.DropDatabase(cursor.name(), if_exists)
    if word == "CREATE":
        if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
        return statement.CreateDatabase(cursor.name(), *_charset_options(cursor), if_not_exists)
    options = ("CHARACTER", "CHARSET", "DEFAULT", "COLLATE")
    name = None if cursor.peek().word in options else cursor.name()
    return statement.AlterDatabase(name, *_charset_options(cursor))


def _charset_options(cursor: Cursor) -> tuple[str | None, str | None]:
    """Return the character set and the collation that a database's options name."""
    options = _table_options(cursor)
    if not cursor.at_end or options != statement.TableOptions(charset=options.charset, collate=options.collate):
        raise cursor.unknown()
    return options.charset, options.collate


def _create(cursor: Cursor) -> statement.CreateTable:
    cursor.read()
    temporary = cursor.accept("TEMPORARY")
    cursor.expect("TABLE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    made = statement.CreateTable(cursor.path(), if_not_exists=if_not_exists, temporary=temporary)
    parenthesis = cursor.peek(1).word == "LIKE" and cursor.accept_sign("(")
    if cursor.accept("LIKE"):
        made = made.replace(like=cursor.path())
        if parenthesis:
            cursor.expect_sign(")")
        return made
    if cursor.at_sign("(") and cursor.peek(1).word != "SELECT":
        made = _columns(cursor, made)
    made = made.replace(options=_table_options(cursor), versioned=_is_versioned(cursor))
    if passed_over.at_query(cursor):
        return made.replace(selects=True)
    if not cursor.at_end or not made.columns:
        cursor.note("a table with partitions" if cursor.at_words("PARTITION", "BY") else "")
    return made.replace(selects=passed_over.rest_selects(cursor))


def _is_versioned(cursor: Cursor) -> bool:
    """Return True if MariaDB adds columns for row versions: a table that names them has a period."""
    words = [token.word for token in cursor.tokens]

    def has(*some: str) -> bool:
        return any(words[at : at + len(some)] == list(some) for at in range(len(words)))

    return has("WITH", "SYSTEM", "VERSIONING") and not has("PERIOD", "FOR", "SYSTEM_TIME")


def _columns(cursor: Cursor, made: statement.CreateTable) -> statement.CreateTable:
    columns: list[Declaration] = []
    keys: list[Key | None] = []
    periods: set[str] = set()

    def part() -> None:
        if cursor.at_words("PERIOD", "FOR"):
            periods.update(passed_over.period(cursor))
        elif at_key(cursor):
            keys.append(key(cursor))
        else:
            column, own = declaration(cursor)
            columns.append(column)
            keys.extend(own)

    cursor.in_parentheses(part)
    columns = [replace(one, nullable=False) if one.name.lower() in periods else one for one in columns]
    return made.replace(columns=tuple(columns), keys=tuple(filter(None, keys)))


def _table_options(cursor: Cursor) -> statement.TableOptions:
    """Return the options after a table's columns, with or without commas between."""
    options = statement.TableOptions()
    while (found := _table_option(cursor, options)) is not None:
        options = found
        if cursor.at_sign(",") and cursor.peek(1).kind is TokenKind.WORD:
            cursor.read()
    return options


_OPTIONS: tuple[tuple[tuple[str, ...], str, Callable[[Cursor], Any]], ...] = (
    (("ENGINE",), "engine", Cursor.word_or_string),
    (("AUTO_INCREMENT",), "auto_increment", Cursor.integer),
    (("CHARACTER", "SET"), "charset", Cursor.word_or_string),
    (("CHARSET",), "charset", Cursor.word_or_string),
    (("COLLATE",), "collate", Cursor.word_or_string),
    (("COMMENT",), "comment", Cursor.string),
)
"""The words of an option, the field of TableOptions, and what reads its value."""


def _table_option(cursor: Cursor, options: statement.TableOptions) -> statement.TableOptions | None:
    """Return the options with one more; None if none comes next."""
    cursor.accept("DEFAULT")
    for words, field, read in _OPTIONS:
        if cursor.accept(*words):
            cursor.accept_sign("=")
            return options.replace(**{field: read(cursor)})
    if cursor.accept_one(*_IGNORED_OPTIONS):
        cursor.accept_sign("=")
        cursor.word_or_string()
        return options
    return options if passed_over.table_option(cursor) else None


def _drop(cursor: Cursor) -> statement.DropTable:
    cursor.read()
    temporary = cursor.accept("TEMPORARY")
    if not cursor.noted("SEQUENCE"):
        cursor.read()
    if_exists = cursor.accept("IF", "EXISTS")
    dropped = statement.DropTable(cursor.listed(cursor.path), if_exists, temporary)
    cursor.accept_one("RESTRICT", "CASCADE")
    passed_over.wait(cursor)
    return dropped


def _rename(cursor: Cursor) -> statement.RenameTable:
    cursor.read()
    cursor.read()
    passed_over.if_exists(cursor)

    def pair() -> tuple[Path, Path]:
        old = cursor.path()
        passed_over.wait(cursor)
        cursor.expect("TO")
        return old, cursor.path()

    return statement.RenameTable(cursor.listed(pair))


def _create_index(cursor: Cursor) -> statement.AlterTable:
    cursor.read()
    unique = cursor.accept("UNIQUE")
    kind = passed_over.index_kind(cursor)
    cursor.expect("INDEX")
    passed_over.if_exists(cursor)
    name = cursor.name()
    if cursor.accept("USING"):
        cursor.name()
    cursor.expect("ON")
    path = cursor.path()
    made = Key(name, key_parts(cursor), unique, kind)
    key_options(cursor)
    _algorithm(cursor)
    return statement.AlterTable(path, (statement.AddKey(made),), index=True)


def _drop_index(cursor: Cursor) -> statement.AlterTable:
    cursor.read()
    cursor.read()
    passed_over.if_exists(cursor)
    name = cursor.name()
    cursor.expect("ON")
    path = cursor.path()
    _algorithm(cursor)
    return statement.AlterTable(path, (statement.DropKey(name),), index=True)


def _algorithm(cursor: Cursor) -> bool:
    """Pass ALGORITHM= and LOCK=, which say how a table is changed, not to what."""
    passed = False
    while cursor.accept_one("ALGORITHM", "LOCK"):
        cursor.accept_sign("=")
        cursor.read()
        passed = True
    return passed


def _alter(cursor: Cursor) -> statement.AlterTable:
    cursor.read()
    cursor.read()
    passed_over.if_exists(cursor)
    made = statement.AlterTable(cursor.path())
    passed_over.wait(cursor)
    while not cursor.at_end:
        words, noted = (cursor.peek().word, cursor.peek(1).word), len(cursor.passed)
        if (changed := _other_change(cursor, made)) is not None:
            made = changed
        elif (actions := _actions(cursor)) is not None:
            made = made.replace(actions=(*made.actions, *actions), does_more=made.does_more or not actions)
        elif cursor.accept("RENAME"):
            if not cursor.accept_sign("="):
                cursor.accept_one("TO", "AS")
            made = made.replace(rename=cursor.path())
        elif not _algorithm(cursor):
            options = _table_option(cursor, made.options)
            if options is None:
                raise cursor.unknown(f"ALTER TABLE ... {cursor.peek().text}")
            while options is not None:  # they need no commas between
                made = made.replace(options=options)
                options = _table_option(cursor, made.options)
        if len(cursor.passed) > noted and words[0] != "FORCE" and words not in _OF_INDEXES:
            made = made.replace(does_more=True)
        if not cursor.accept_sign(",") and not passed_over.at_partitions(cursor):
            break
    return made


_OF_INDEXES = (
    *((word, "KEYS") for word in ("ENABLE", "DISABLE")),
    *((word, kind) for word in ("ALTER", "RENAME") for kind in ("INDEX", "KEY")),
)
"""The first words of changes that are skipped, and matter to indexes alone."""


def _other_change(cursor: Cursor, made: statement.AlterTable) -> statement.AlterTable | None:
    """Return the changes besides `_actions`, or skip them; None if something else comes next."""
    if cursor.at_words("CONVERT", "TO"):
        cursor.note(f"ALTER TABLE ... {cursor.peek().text}")
        cursor.place += 2
        options = statement.TableOptions()
        while (found := _table_option(cursor, options)) is not None:
            options = found
        return made.replace(convert=options)
    if cursor.noted("ADD", "SYSTEM", "VERSIONING"):
        return made.replace(versioned=True)
    if cursor.noted("DROP", "SYSTEM", "VERSIONING"):
        return made.replace(versioned=False)
    return made if passed_over.change(cursor) else None


def _actions(cursor: Cursor) -> list[statement.Action] | None:
    """Return the changes of columns and keys that come next; None if none does."""
    if cursor.accept("ADD"):
        return _added(cursor)
    if cursor.accept("DROP"):
        return [_dropped(cursor)]
    if cursor.accept("ALTER"):
        return _altered(cursor)
    if cursor.accept("RENAME", "COLUMN"):
        if_exists = passed_over.if_exists(cursor)
        old = cursor.name()
        cursor.expect("TO")
        return [statement.RenameColumn(old, cursor.name(), if_exists)]
    word = cursor.accept_one("MODIFY", "CHANGE")
    if not word:
        return None
    cursor.accept("COLUMN")
    if_exists = passed_over.if_exists(cursor)
    old = cursor.name() if word == "CHANGE" else cursor.peek().text
    column, keys = declaration(cursor)
    return [statement.ModifyColumn(old, column, keys, _place(cursor), if_exists)]


def _place(cursor: Cursor) -> str | None:
    """FIRST ("") or AFTER a column; None if neither stands there."""
    if cursor.accept("FIRST"):
        return ""
    return cursor.name() if cursor.accept("AFTER") else None


def _added(cursor: Cursor) -> list[statement.Action]:
    if at_key(cursor):
        found = key(cursor)
        return [statement.AddKey(found)] if found is not None else []
    cursor.accept("COLUMN")
    absent = passed_over.if_exists(cursor)
    if cursor.at_sign("("):
        return list(filter(None, cursor.in_parentheses(lambda: _added_part(cursor, absent))))
    column, keys = declaration(cursor)
    return [statement.AddColumn(column, keys, _place(cursor), absent)]


def _added_part(cursor: Cursor, absent: bool) -> statement.Action | None:
    """Return a column or a key among those that ADD has in parentheses; None for one that is skipped."""
    if at_key(cursor):
        found = key(cursor)
        return None if found is None else statement.AddKey(found)
    column, keys = declaration(cursor)
    return statement.AddColumn(column, keys, None, absent)


def _dropped(cursor: Cursor) -> statement.Action:
    if cursor.accept("PRIMARY", "KEY"):
        return statement.DropKey(PRIMARY)
    if cursor.at_words("CONSTRAINT"):
        cursor.note(f"ALTER TABLE ... DROP {cursor.peek().text}")
    if cursor.accept_one("KEY", "INDEX", "CONSTRAINT"):
        passed_over.if_exists(cursor)
        return statement.DropKey(cursor.name())
    cursor.accept("COLUMN")
    if_exists = passed_over.if_exists(cursor)
    dropped = statement.DropColumn(cursor.name(), if_exists)
    if cursor.peek().word in ("RESTRICT", "CASCADE"):
        cursor.note()
        cursor.read()
    return dropped


def _altered(cursor: Cursor) -> list[statement.Action]:
    """ALTER COLUMN: a default, or something else that is skipped."""
    cursor.accept("COLUMN")
    passed_over.if_exists(cursor)
    name = cursor.name()
    if cursor.noted("SET", "VISIBLE"):
        return [statement.SetVisibility(name, True)]
    if cursor.noted("SET", "INVISIBLE"):
        return [statement.SetVisibility(name, False)]

    def default() -> statement.Action:
        if cursor.accept("DROP", "DEFAULT"):
            return statement.SetDefault(name, None)
        cursor.expect("SET", "DEFAULT")
        value = default_value(cursor)
        return statement.SetDefault(name, None if isinstance(value, Null) else value)

    found = cursor.tolerate(default, cursor.skip)
    return [] if found is None else [found]
