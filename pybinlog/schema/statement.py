"""The statements that define databases and tables, as the parser reads them."""

from pybinlog.record import Record
from pybinlog.schema.column import PRIMARY, Key
from pybinlog.schema.cursor import Path
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.expression import Expression


class Definition(Record):
    """A statement that defines something."""


class TableOptions(Record):
    """ENGINE, character set, COLLATE, AUTO_INCREMENT and COMMENT of a table; None if the statement names none."""

    engine: str | None = None
    charset: str | None = None
    collate: str | None = None
    auto_increment: int | None = None
    comment: str | None = None


class CreateTable(Definition):
    """CREATE TABLE; `like` names the table that it copies. `selects`: a query follows (CREATE TABLE ... SELECT).

    `versioned`: MariaDB adds two columns that say when a row came and went.
    """

    path: Path
    columns: tuple[Declaration, ...] = ()
    keys: tuple[Key, ...] = ()
    options: TableOptions = TableOptions()
    like: Path | None = None
    selects: bool = False
    if_not_exists: bool = False
    temporary: bool = False
    versioned: bool = False


class CreateSequence(Definition):
    """MariaDB's CREATE SEQUENCE: a table with one row."""

    path: Path
    if_not_exists: bool = False


class AddColumn(Record):
    """ADD COLUMN; `after` names the column before it, "" for FIRST, None for the end."""

    declaration: Declaration
    keys: tuple[Key, ...] = ()
    after: str | None = None
    if_not_exists: bool = False


class ModifyColumn(Record):
    """MODIFY and CHANGE COLUMN; `after` as of AddColumn, None for the place that it has."""

    name: str
    declaration: Declaration
    keys: tuple[Key, ...] = ()
    after: str | None = None
    if_exists: bool = False


class RenameColumn(Record):
    """RENAME COLUMN old TO new."""

    old: str
    new: str
    if_exists: bool = False


class DropColumn(Record):
    """DROP COLUMN."""

    name: str
    if_exists: bool = False


class SetDefault(Record):
    """ALTER COLUMN ... SET DEFAULT; None for DROP DEFAULT."""

    column: str
    default: Expression | None


class SetVisibility(Record):
    """ALTER COLUMN ... SET VISIBLE and SET INVISIBLE."""

    column: str
    visible: bool


class AddKey(Record):
    """ADD PRIMARY KEY, UNIQUE KEY, KEY."""

    key: Key


class DropKey(Record):
    """DROP KEY and DROP PRIMARY KEY."""

    name: str


Action = AddColumn | ModifyColumn | RenameColumn | DropColumn | SetDefault | SetVisibility | AddKey | DropKey


class AlterTable(Definition):
    """ALTER TABLE, CREATE INDEX and DROP INDEX (`index`); `rename` is the table's new name.

    `convert`: the character set and the collation of CONVERT TO, which all text gets; `versioned` as of CreateTable,
    None if the statement leaves it as it is. `does_more`: it has a part that is not here and may matter to rows.
    """

    path: Path
    actions: tuple[Action, ...] = ()
    options: TableOptions = TableOptions()
    rename: Path | None = None
    index: bool = False
    convert: TableOptions | None = None
    versioned: bool | None = None
    does_more: bool = False

    @property
    def leaves_rows(self) -> bool:
        """Return True if columns, primary key and rows stay as they are, and transactions work as before or better.

        CREATE INDEX may be UNIQUE; with IGNORE, ADD UNIQUE KEY removes rows.
        """
        return (
            not self.does_more
            and self.rename is None
            and self.convert is None
            and self.versioned is None
            and (self.options.engine or "InnoDB").lower() == "innodb"
            and all(map(self._is_of_index, self.actions))
        )

    def _is_of_index(self, action: Action) -> bool:
        if isinstance(action, AddKey):
            return not action.key.primary and (self.index or not action.key.unique)
        return isinstance(action, DropKey) and action.name.upper() != PRIMARY


class RenameTable(Definition):
    """RENAME TABLE old TO new, ..."""

    pairs: tuple[tuple[Path, Path], ...]


class DropTable(Definition):
    """DROP TABLE."""

    paths: tuple[Path, ...]
    if_exists: bool = False
    temporary: bool = False


class TruncateTable(Definition):
    """TRUNCATE TABLE."""

    path: Path


class CreateDatabase(Definition):
    """CREATE DATABASE; names of character set and collation as written."""

    name: str
    charset: str | None = None
    collate: str | None = None
    if_not_exists: bool = False


class AlterDatabase(Definition):
    """ALTER DATABASE; None for the current one."""

    name: str | None
    charset: str | None = None
    collate: str | None = None


class DropDatabase(Definition):
    """DROP DATABASE."""

    name: str
    if_exists: bool = False
