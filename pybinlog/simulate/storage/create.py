"""CREATE TABLE in its forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import exp

from pybinlog.errors import UnsupportedStatement
from pybinlog.layout import ColumnType

from .charset import character_set, collation_name, default_collation, named_collation
from .column import Column
from .definition import Definer, key_name, key_of
from .error import error
from .execution import Execution
from .expression import Evaluator
from .insert import insert_rows
from .result_column import result_column
from .select import select
from .show import create_text
from .statement import Kind
from .table import ENGINES, Key, KeyPart, Table

__all__ = ["create_table", "finished_keys"]

_OTHER_ENGINES = frozenset({"blackhole", "merge", "mrg_myisam", "federated", "ndb", "ndbcluster", "example"})
_KNOWN_OPTIONS = (
    exp.EngineProperty,
    exp.CharacterSetProperty,
    exp.CollateProperty,
    exp.SchemaCommentProperty,
    exp.AutoIncrementProperty,
    exp.TemporaryProperty,
    exp.LikeProperty,
    exp.RowFormatProperty,
)


def create_table(execution: Execution, tree: Any) -> None:
    """Runs CREATE TABLE, CREATE TABLE ... LIKE and CREATE TABLE ... SELECT. Raises SqlError, UnsupportedStatement."""
    session, statement = execution.session, execution.statement
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    database = target.db or session.database
    storage = session.storage
    home = storage.database(database)
    name = target.name
    existing = session.temporary_tables.get((home.name, name)) if statement.temporary else home.tables.get(name)
    if existing is not None:
        if not tree.args.get("exists"):
            raise error("TABLE_EXISTS", name)
        execution.effect.warnings.append(error("TABLE_EXISTS", name))
        execution.use(existing)
        return
    if statement.kind is Kind.CREATE_TABLE_LIKE:
        table = _like(execution, tree, home.name, name)
    else:
        table = _defined(execution, tree, home.name, name)
    execution.effect.timestamp_columns = any(column.type == ColumnType.TIMESTAMP2 for column in table.columns)
    execution.effect.atomic_ddl = table.transactional and not table.temporary and storage.version >= (8,)
    if statement.kind is not Kind.CREATE_TABLE_LIKE and home.name not in execution.effect.databases:
        execution.effect.databases.append(home.name)
    if statement.temporary:
        session.temporary_tables[home.name, name] = table
    else:
        home.tables[name] = table
    if statement.kind is Kind.CREATE_TABLE_SELECT:
        try:
            _fill(execution, table)
        except Exception:
            _forget(execution, table)
            raise


def _forget(execution: Execution, table: Table) -> None:
    """Takes the new table away again after an error in its SELECT, with what was inserted."""
    execution.effect.changes = [change for change in execution.effect.changes if change.table is not table]
    transaction = execution.session.transaction
    transaction.changes = [change for change in transaction.changes if change.table is not table]
    if table.temporary:
        del execution.session.temporary_tables[table.database, table.name]
    else:
        del execution.session.storage.databases[table.database].tables[table.name]


def _options(execution: Execution, tree: Any, definer: Definer) -> dict[str, Any]:
    """The table's options, checked."""
    found: dict[str, Any] = {"engine": execution.session.default_storage_engine}
    properties = tree.args.get("properties")
    collation = None
    for option in properties.expressions if properties is not None else []:
        if isinstance(option, exp.EngineProperty):
            found["engine"] = found["named"] = option.this.name if not isinstance(option.this, str) else option.this
        elif isinstance(option, exp.CharacterSetProperty):
            collation = collation or definer.charset(option.this.name)
        elif isinstance(option, exp.CollateProperty):
            collation = named_collation(option.this.name)
        elif isinstance(option, exp.SchemaCommentProperty):
            found["comment"] = definer.literal(option.this)
        elif isinstance(option, exp.AutoIncrementProperty):
            found["auto_increment"] = int(option.this.this)
        elif not isinstance(option, _KNOWN_OPTIONS):
            word = type(option).__name__.removesuffix("Property")
            raise UnsupportedStatement(f"the table option {word} is not in the model", missing=word)
    if found["engine"].lower() in _OTHER_ENGINES:
        raise UnsupportedStatement(f"the engine {found['engine']} is not in the model", missing=found["engine"])
    if found["engine"].lower() not in ENGINES:
        raise error("UNKNOWN_STORAGE_ENGINE", found["engine"])
    found["words"] = f" ENGINE={ENGINES[found['engine'].lower()][0]}" if "named" in found else ""
    if collation is not None:
        found["collation"] = collation
        charset = character_set(collation)
        found["words"] += f" DEFAULT CHARSET={charset}"
        if collation != default_collation(charset, execution.session.storage.version):
            found["words"] += f" COLLATE={collation_name(collation)}"
    return found


def _defined(execution: Execution, tree: Any, database: str, name: str) -> Table:
    session = execution.session
    default = session.storage.databases[database].collation
    options = _options(execution, tree, Definer(session, execution.statement, default))
    collation = options.get("collation", default)
    definer = Definer(session, execution.statement, collation)
    columns: list[Column] = []
    keys: list[Key] = []
    schema = tree.this if isinstance(tree.this, exp.Schema) else None
    for node in schema.expressions if schema is not None else []:
        if isinstance(node, exp.ColumnDef):
            columns.append(definer.column(node))
            keys += column_keys(node)
            continue
        if node.find(exp.ForeignKey):
            raise UnsupportedStatement("foreign keys are not in the model", missing="FOREIGN KEY")
        key = key_of(node)
        if key is None and not isinstance(node, (exp.CheckColumnConstraint, exp.Constraint)):
            raise UnsupportedStatement(f"{type(node).__name__} in a table is not in the model", missing="definition")
        keys += [key] if key is not None else []
    if execution.statement.kind is Kind.CREATE_TABLE_SELECT:
        result = select(tree.expression, Evaluator(execution), locking=True)
        execution.selected = result
        known = {column.name.lower(): index for index, column in enumerate(columns)}
        for index, column_name in enumerate(result.columns):
            if column_name.lower() not in known:
                columns.append(result_column(execution, result, index, column_name))
            else:
                columns.append(columns[known[column_name.lower()]])
                columns[known[column_name.lower()]] = None  # type: ignore[call-overload]
        columns = [column for column in columns if column is not None]
    columns = _timestamps(execution, columns)
    columns, ordered = finished_keys(columns, keys)
    engine = ENGINES[options["engine"].lower()][0]
    generated = False
    if session.sql_generate_invisible_primary_key and engine == "InnoDB" and not any(key.primary for key in ordered):
        hidden = Column(
            "my_row_id",
            ColumnType.LONGLONG,
            "bigint unsigned",
            nullable=False,
            unsigned=True,
            auto_increment=True,
            visible=False,
        )
        columns, generated = [hidden, *columns], True
        ordered = [Key("PRIMARY", (KeyPart("my_row_id"),), True), *ordered]
    table = Table(
        database,
        name,
        columns,
        ordered,
        engine=engine,
        collation=collation,
        temporary=execution.statement.temporary,
        version=session.storage.version,
        table_id=session.storage.new_table_id(),
    )
    table.generated_primary_key = generated
    table.comment = options.get("comment")
    table.options = options["words"]
    table.next_auto_increment = options.get("auto_increment", 1)
    return table


def column_keys(node: Any) -> list[Key]:
    """The keys that a column's own definition makes."""
    keys = []
    part = (KeyPart(node.name),)
    for constraint in node.args.get("constraints") or []:
        if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
            keys.append(Key("PRIMARY", part, True))
        elif isinstance(constraint.kind, exp.UniqueColumnConstraint):
            keys.append(Key("", part, True))
    kind = node.args.get("kind")
    if kind is not None and getattr(kind.this, "name", "") == "SERIAL":
        keys.append(Key("", part, True))
    return keys


def finished_keys(columns: list[Column], keys: list[Key]) -> tuple[list[Column], list[Key]]:
    """The columns and keys of a definition as they belong together. Raises SqlError."""
    if sum(key.primary for key in keys) > 1:
        raise error("MULTIPLE_PRI_KEY")
    places = {column.name.lower(): index for index, column in enumerate(columns)}
    if len(places) < len(columns):
        names = [column.name.lower() for column in columns]
        twice = next(column.name for column in columns if names.count(column.name.lower()) > 1)
        raise error("DUP_FIELDNAME", twice)
    finished: list[Key] = []
    taken: set[str] = {key.name.lower() for key in keys if key.name}
    for key in keys:
        for part in key.parts:
            if part.column.lower() not in places:
                raise error("KEY_COLUMN_DOES_NOT_EXITS", part.column)
            if key.primary:
                index = places[part.column.lower()]
                columns[index] = replace(columns[index], nullable=False)
        if not key.name:
            key = replace(key, name=key_name(key, taken))
            taken.add(key.name.lower())
        if any(other.name.lower() == key.name.lower() for other in finished):
            raise error("DUP_KEYNAME", key.name)
        finished.append(key)
    automatic = [column for column in columns if column.auto_increment]
    if len(automatic) > 1 or (
        automatic
        and not any(part.column.lower() == automatic[0].name.lower() for key in finished for part in key.parts)
    ):
        raise error("WRONG_AUTO_KEY")
    return columns, finished


def _timestamps(execution: Execution, columns: list[Column]) -> list[Column]:
    """Without explicit_defaults_for_timestamp, the first TIMESTAMP keeps the time of the row's last change."""
    if execution.session.explicit_defaults_for_timestamp:
        return columns
    now = exp.Anonymous(this="NOW")
    changed, first = [], True
    for column in columns:
        if column.type == ColumnType.TIMESTAMP2 and not column.nullable and not column.has_default:
            if first and not column.on_update_now:
                column = replace(column, default=now.copy(), has_default=True, on_update_now=True)
            elif not first:
                column = replace(column, default="0000-00-00 00:00:00", has_default=True)
        first = first and column.type != ColumnType.TIMESTAMP2
        changed.append(column)
    return changed


def _like(execution: Execution, tree: Any, database: str, name: str) -> Table:
    node = tree.find(exp.LikeProperty).this
    model = execution.table(node.name, node.db or None)
    execution.use(model, read=True)
    return Table(
        database,
        name,
        model.columns,
        model.keys,
        engine=model.engine,
        collation=model.collation,
        temporary=execution.statement.temporary,
        version=model.version,
        table_id=execution.session.storage.new_table_id(),
    )


def _fill(execution: Execution, table: Table) -> None:
    result = execution.selected
    assert result is not None
    insert_rows(execution, table, result.rows)
    if execution.row_format:
        execution.effect.log_text = create_text(execution.session, table)
