"""Reads the statements that define databases and tables.

Source: the manual, "Data Definition Statements".
"""

from __future__ import annotations

from dataclasses import replace

from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.declaration_parser import at_key, declaration, default_value, key, key_options, key_parts
from pybinlog.schema.expression import Null
from pybinlog.schema.key import PRIMARY, Key
from pybinlog.schema.lexer import TokenKind
from pybinlog.schema.statement import (
    Action,
    AddColumn,
    AddKey,
    AlterDatabase,
    AlterTable,
    CreateDatabase,
    CreateTable,
    Definition,
    DropColumn,
    DropDatabase,
    DropKey,
    DropTable,
    ModifyColumn,
    RenameColumn,
    RenameTable,
    SetDefault,
    TableOptions,
    TruncateTable,
)

_IGNORED_OPTIONS = frozenset(
    "ROW_FORMAT KEY_BLOCK_SIZE STATS_PERSISTENT STATS_AUTO_RECALC STATS_SAMPLE_PAGES AVG_ROW_LENGTH CHECKSUM "
    "DELAY_KEY_WRITE MAX_ROWS MIN_ROWS PACK_KEYS ENCRYPTION COMPRESSION".split()
)
"""Table options that change nothing of what a table's columns hold."""


def parse(text: str, sql_mode: frozenset[str] = frozenset()) -> Definition | None:
    """The definition that a statement is; None for a statement that defines no table or database.

    Raises SqlError 1064 for text that is no SQL, UnsupportedStatement for what is not known.
    """
    cursor = Cursor(text, sql_mode)
    found = read_definition(cursor)
    if found is not None and not cursor.at_end and not (isinstance(found, CreateTable) and found.selects):
        raise cursor.unknown()
    return found


def read_definition(cursor: Cursor) -> Definition | None:
    """The definition that begins at the cursor, as of `parse`. The cursor is then at its end.

    For CREATE TABLE ... SELECT that is where the query begins, with the words IGNORE, REPLACE and AS before it.
    """
    word, second = cursor.peek().word, cursor.peek(1).word
    if second == "TEMPORARY":
        second = cursor.peek(2).word
    if word == "TRUNCATE":
        cursor.take()
        cursor.accept("TABLE")
        return TruncateTable(cursor.path())
    if word == "RENAME" and second in ("TABLE", "TABLES"):
        return _rename(cursor)
    if second in ("DATABASE", "SCHEMA") and word in ("CREATE", "ALTER", "DROP"):
        return _database(cursor)
    if second == "TABLE" or (word == "DROP" and second == "TABLES"):
        if word == "CREATE":
            return _create(cursor)
        if word == "ALTER":
            return _alter(cursor)
        if word == "DROP":
            return _drop(cursor)
    if word == "CREATE" and (second == "INDEX" or cursor.peek(2).word == "INDEX"):
        return _create_index(cursor)
    if word == "DROP" and second == "INDEX":
        return _drop_index(cursor)
    return None


def _database(cursor: Cursor) -> Definition:
    word = cursor.take().word
    cursor.take()
    if word == "DROP":
        if_exists = cursor.accept("IF", "EXISTS")
        return DropDatabase(cursor.name(), if_exists)
    if word == "CREATE":
        if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
        return CreateDatabase(cursor.name(), *_charset_options(cursor), if_not_exists)
    options = ("CHARACTER", "CHARSET", "DEFAULT", "COLLATE")
    name = None if cursor.peek().word in options else cursor.name()
    return AlterDatabase(name, *_charset_options(cursor))


def _charset_options(cursor: Cursor) -> tuple[str | None, str | None]:
    """The character set and the collation that a database's options name."""
    charset = collate = None
    while not cursor.at_end:
        cursor.accept("DEFAULT")
        if cursor.accept("CHARACTER", "SET") or cursor.accept("CHARSET"):
            cursor.accept_sign("=")
            charset = cursor.word_or_string()
        elif cursor.accept("COLLATE"):
            cursor.accept_sign("=")
            collate = cursor.word_or_string()
        else:
            raise cursor.unknown()
    return charset, collate


def _create(cursor: Cursor) -> CreateTable:
    cursor.take()
    temporary = cursor.accept("TEMPORARY")
    cursor.expect("TABLE")
    if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
    made = CreateTable(cursor.path(), if_not_exists=if_not_exists, temporary=temporary)
    if cursor.accept("LIKE"):
        return replace(made, like=cursor.path())
    if cursor.at_sign("(") and cursor.peek(1).word == "LIKE":
        cursor.take()
        cursor.take()
        made = replace(made, like=cursor.path())
        cursor.expect_sign(")")
        return made
    if cursor.at_sign("(") and cursor.peek(1).word != "SELECT":
        made = _columns(cursor, made)
    made = replace(made, options=_table_options(cursor))
    if cursor.at_words("PARTITION", "BY"):
        raise cursor.unknown("a table with partitions")
    selects = cursor.peek().word in ("SELECT", "AS", "IGNORE", "REPLACE", "WITH") or cursor.at_sign("(")
    if not selects and not made.columns:
        raise cursor.unknown()
    return replace(made, selects=selects)


def _columns(cursor: Cursor, made: CreateTable) -> CreateTable:
    cursor.expect_sign("(")
    columns, keys = [], list[Key]()
    while True:
        if at_key(cursor):
            found = key(cursor)
            keys += [found] if found is not None else []
        else:
            column, own = declaration(cursor)
            columns.append(column)
            keys += own
        if not cursor.accept_sign(","):
            break
    cursor.expect_sign(")")
    return replace(made, columns=tuple(columns), keys=tuple(keys))


def _table_options(cursor: Cursor) -> TableOptions:
    """Options after a table's columns, with or without commas between."""
    options = TableOptions()
    while (found := _table_option(cursor, options)) is not None:
        options = found
        if cursor.at_sign(",") and cursor.peek(1).kind is TokenKind.WORD:
            cursor.take()
    return options


def _table_option(cursor: Cursor, options: TableOptions) -> TableOptions | None:
    """The options with one more; None where none comes next."""
    cursor.accept("DEFAULT")
    if cursor.accept("ENGINE"):
        cursor.accept_sign("=")
        return replace(options, engine=cursor.word_or_string())
    if cursor.accept("AUTO_INCREMENT"):
        cursor.accept_sign("=")
        return replace(options, auto_increment=cursor.integer())
    if cursor.accept("CHARACTER", "SET") or cursor.accept("CHARSET"):
        cursor.accept_sign("=")
        return replace(options, charset=cursor.word_or_string())
    if cursor.accept("COLLATE"):
        cursor.accept_sign("=")
        return replace(options, collate=cursor.word_or_string())
    if cursor.accept("COMMENT"):
        cursor.accept_sign("=")
        return replace(options, comment=cursor.string())
    if cursor.peek().word in _IGNORED_OPTIONS:
        cursor.take()
        cursor.accept_sign("=")
        cursor.word_or_string()
        return options
    return None


def _drop(cursor: Cursor) -> DropTable:
    cursor.take()
    temporary = cursor.accept("TEMPORARY")
    cursor.take()
    if_exists = cursor.accept("IF", "EXISTS")
    dropped = DropTable(cursor.paths(), if_exists, temporary)
    cursor.accept_one("RESTRICT", "CASCADE")
    return dropped


def _rename(cursor: Cursor) -> RenameTable:
    cursor.take()
    cursor.take()
    pairs: list[tuple[Path, Path]] = []
    while True:
        old = cursor.path()
        cursor.expect("TO")
        pairs.append((old, cursor.path()))
        if not cursor.accept_sign(","):
            return RenameTable(tuple(pairs))


def _create_index(cursor: Cursor) -> AlterTable:
    cursor.take()
    unique = cursor.accept("UNIQUE")
    kind = cursor.accept_one("FULLTEXT", "SPATIAL")
    cursor.expect("INDEX")
    name = cursor.name()
    if cursor.accept("USING"):
        cursor.name()
    cursor.expect("ON")
    path = cursor.path()
    made = Key(name, key_parts(cursor), unique, kind)
    key_options(cursor)
    _algorithm(cursor)
    return AlterTable(path, (AddKey(made),), index=True)


def _drop_index(cursor: Cursor) -> AlterTable:
    cursor.take()
    cursor.take()
    name = cursor.name()
    cursor.expect("ON")
    path = cursor.path()
    _algorithm(cursor)
    return AlterTable(path, (DropKey(name),), index=True)


def _algorithm(cursor: Cursor) -> bool:
    """Pass ALGORITHM= and LOCK=, which say how a table is changed, not to what."""
    passed = False
    while cursor.accept_one("ALGORITHM", "LOCK"):
        cursor.accept_sign("=")
        cursor.take()
        passed = True
    return passed


def _alter(cursor: Cursor) -> AlterTable:
    cursor.take()
    cursor.take()
    made = AlterTable(cursor.path())
    while not cursor.at_end:
        made = _alteration(cursor, made)
        if not cursor.accept_sign(","):
            break
    return made


def _alteration(cursor: Cursor, made: AlterTable) -> AlterTable:
    """The statement with one more change."""
    if cursor.accept("ADD"):
        return replace(made, actions=(*made.actions, *_added(cursor)))
    if cursor.accept("DROP"):
        return replace(made, actions=(*made.actions, _dropped(cursor)))
    word = cursor.accept_one("MODIFY", "CHANGE")
    if word:
        cursor.accept("COLUMN")
        old = cursor.name() if word == "CHANGE" else cursor.peek().text
        column, keys = declaration(cursor)
        return replace(made, actions=(*made.actions, ModifyColumn(old, column, keys, _place(cursor))))
    if cursor.accept("RENAME", "COLUMN"):
        old = cursor.name()
        cursor.expect("TO")
        return replace(made, actions=(*made.actions, RenameColumn(old, cursor.name())))
    if cursor.at_words("RENAME") and cursor.peek(1).word not in ("INDEX", "KEY"):
        cursor.take()
        cursor.accept_one("TO", "AS")
        return replace(made, rename=cursor.path())
    if cursor.accept("ALTER"):
        return replace(made, actions=(*made.actions, _default(cursor)))
    if _algorithm(cursor):
        return made
    options = _table_option(cursor, made.options)
    if options is None:
        raise cursor.unknown(f"ALTER TABLE ... {cursor.peek().text}")
    return replace(made, options=options)


def _place(cursor: Cursor) -> str | None:
    """FIRST ("") or AFTER a column; None where neither stands there."""
    if cursor.accept("FIRST"):
        return ""
    return cursor.name() if cursor.accept("AFTER") else None


def _added(cursor: Cursor) -> list[Action]:
    if at_key(cursor):
        found = key(cursor)
        return [AddKey(found)] if found is not None else []
    cursor.accept("COLUMN")
    several = cursor.accept_sign("(")
    actions: list[Action] = []
    while True:
        column, keys = declaration(cursor)
        actions.append(AddColumn(column, keys, None if several else _place(cursor)))
        if not several or not cursor.accept_sign(","):
            break
    if several:
        cursor.expect_sign(")")
    return actions


def _dropped(cursor: Cursor) -> Action:
    if cursor.accept("PRIMARY", "KEY"):
        return DropKey(PRIMARY)
    if cursor.accept_one("KEY", "INDEX"):
        return DropKey(cursor.name())
    if cursor.peek().word in ("FOREIGN", "CONSTRAINT", "CHECK", "PARTITION"):
        raise cursor.unknown(f"ALTER TABLE ... DROP {cursor.peek().text}")
    cursor.accept("COLUMN")
    return DropColumn(cursor.name())


def _default(cursor: Cursor) -> Action:
    cursor.accept("COLUMN")
    name = cursor.name()
    if cursor.accept("DROP", "DEFAULT"):
        return SetDefault(name, None)
    cursor.expect("SET", "DEFAULT")
    value = default_value(cursor)
    return SetDefault(name, None if isinstance(value, Null) else value)
