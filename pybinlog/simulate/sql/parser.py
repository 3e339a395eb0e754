"""Reads statements: those that define stored programs here, those that move rows by `dml_parser`.

Those that define tables are read by `pybinlog.schema`. The parser refuses other statements by name.
"""

from pybinlog.errors import UnsupportedStatement
from pybinlog.schema import error
from pybinlog.schema.cursor import Cursor, Path
from pybinlog.schema.declaration import Declaration
from pybinlog.schema.declaration_parser import name_and_type, type_alone
from pybinlog.schema.expression import Expression, Name
from pybinlog.schema.parser import read_definition
from pybinlog.schema.statement import CreateTable
from pybinlog.schema.text import decode_text
from pybinlog.simulate.sql import syntax
from pybinlog.simulate.sql.dml_parser import DmlParser

_ROUTINES = ("PROCEDURE", "FUNCTION")


def parse(text: bytes, charset: int, sql_mode: frozenset[str]) -> syntax.Statement:
    """Return one statement, in the character set of the collation `charset`.

    Raise SqlError (1064, 1065) for what the server would not understand, UnsupportedStatement for what is not in the
    model.
    """
    cursor = Cursor(decode_text(text, charset), sql_mode)
    if cursor.at_end:
        raise error("EMPTY_QUERY")
    node = _Parser(cursor).statement()
    if not cursor.at_end:
        raise cursor.unknown()
    return syntax.Statement(text, node)


class _Parser(DmlParser):
    """Reads one statement. `parameters` are those of the routine whose body is read, in lower case."""

    def __init__(self, cursor: Cursor) -> None:
        super().__init__(cursor)
        self.parameters: frozenset[str] = frozenset()
        self.start_of_part = 0

    def statement(self) -> syntax.Node:
        cursor = self.cursor
        word, second = cursor.peek().word, cursor.peek(1).word
        moves_rows = self.dml()
        if moves_rows is not None:
            return moves_rows
        if word == "SELECT":
            return self.query()
        if word == "SET":
            return self.set()
        if word == "CALL":
            cursor.read()
            path = cursor.path()
            return syntax.CallProcedure(path, self._arguments() if cursor.at_sign("(") else ())
        if word == "CREATE" and second in ("TRIGGER", "DEFINER", *_ROUTINES):
            return self._create_program()
        if word == "DROP" and second in ("TRIGGER", *_ROUTINES):
            return self._drop_program()
        definition = read_definition(cursor)
        if cursor.passed:
            raise cursor.passed[0]
        if isinstance(definition, CreateTable) and definition.selects:
            if cursor.peek().word in ("IGNORE", "REPLACE"):
                raise cursor.unknown(f"CREATE TABLE ... {cursor.peek().word} SELECT")
            cursor.accept("AS")
            definition = syntax.CreateSelect(definition, self.query_in_parentheses())
        if definition is None:
            words = " ".join(cursor.text[cursor.peek().start :].split()[:3])
            raise UnsupportedStatement(f"statements that begin with {words[:60]!r} are not in the model", missing=words)
        return definition

    def _arguments(self) -> tuple[Expression, ...]:
        if self.cursor.at_sign(")", 1):
            self.cursor.names()
            return ()
        return self.cursor.in_parentheses(self.expression)

    def _create_program(self) -> syntax.CreateTrigger | syntax.CreateRoutine:
        cursor = self.cursor
        cursor.read()
        if cursor.at_words("DEFINER"):
            raise cursor.unknown("DEFINER")
        start = cursor.peek().start
        kind = cursor.read().word
        if_not_exists = cursor.accept("IF", "NOT", "EXISTS")
        path = cursor.path()
        if kind != "TRIGGER":
            return self._create_routine(kind, path, if_not_exists)
        time, event = self._one_of("BEFORE", "AFTER"), self._one_of("INSERT", "UPDATE", "DELETE")
        cursor.expect("ON")
        table = cursor.path()
        cursor.expect("FOR", "EACH", "ROW")
        body, _ = self._body()
        return syntax.CreateTrigger(path, time, event, table, body, cursor.text[start:].rstrip(), if_not_exists)

    def _create_routine(self, kind: str, path: Path, if_not_exists: bool) -> syntax.CreateRoutine:
        cursor = self.cursor
        start = cursor.peek().end
        parameters: tuple[Declaration, ...] = ()
        if cursor.at_sign(")", 1):
            cursor.names()
        else:
            parameters = cursor.in_parentheses(self._parameter)
        listed = cursor.text[start : cursor.text_since(0).rindex(")")]
        returns = None
        if kind == "FUNCTION":
            cursor.expect("RETURNS")
            returns = type_alone(cursor)
        characteristics = self._characteristics()
        self.parameters = frozenset(parameter.name.lower() for parameter in parameters)
        start = cursor.peek().start
        body, result = self._body(is_function=kind == "FUNCTION")
        text = cursor.text[start:].rstrip()
        return syntax.CreateRoutine(
            kind, path, parameters, returns, body, result, listed, characteristics, text, if_not_exists
        )

    def _parameter(self) -> Declaration:
        if self.cursor.accept_one("IN", "OUT", "INOUT") not in ("", "IN"):
            raise self.cursor.unknown("an OUT parameter")
        return name_and_type(self.cursor)

    def _characteristics(self) -> tuple[str, ...]:
        """Return the characteristics of a routine in the words and in the order of the server."""
        cursor = self.cursor
        found: dict[int, str] = {}
        while True:
            if access := next((words for words in _ACCESS if cursor.accept(*words.split())), ""):
                found[0] = access
            elif cursor.accept("LANGUAGE", "SQL"):
                pass
            elif cursor.accept("NOT", "DETERMINISTIC"):
                found.pop(1, None)
            elif cursor.accept("DETERMINISTIC"):
                found[1] = "DETERMINISTIC"
            elif cursor.accept("SQL", "SECURITY"):
                found[2] = "SQL SECURITY INVOKER" if self._one_of("DEFINER", "INVOKER") == "INVOKER" else ""
            elif cursor.accept("COMMENT"):
                found[3] = f"COMMENT {_quoted(cursor.string())}"
            else:
                return tuple(found[place] for place in sorted(found) if found[place] not in ("", "CONTAINS SQL"))

    def _body(self, *, is_function: bool = False) -> tuple[tuple[syntax.BodyStatement, ...], Expression | None]:
        """Return the statements of a body, and the expression of a function's RETURN."""
        cursor = self.cursor
        if not cursor.accept("BEGIN"):
            if is_function and cursor.accept("RETURN"):
                return (), self.expression()
            return (self._part(),), None
        parts = []
        result = None
        while not cursor.accept("END"):
            if is_function and cursor.accept("RETURN"):
                result = self.expression()
            elif result is None:
                parts.append(self._part())
            else:
                raise cursor.unknown("a statement after RETURN")
            cursor.expect_sign(";")
        return tuple(parts), result

    def _part(self) -> syntax.BodyStatement:
        start = self.start_of_part = self.cursor.peek().start
        node = self.dml()
        if node is None:
            raise self.cursor.unknown(
                f"a body with other statements than INSERT, REPLACE, UPDATE and DELETE ({self.cursor.peek().text!r})"
            )
        return syntax.BodyStatement(self.cursor.text_since(start), node)

    def _name(self) -> Expression:
        """Return a column, or in a routine's body the parameter of that name."""
        token = self.cursor.peek()
        found = super()._name()
        if isinstance(found, Name) and not found.table and found.column.lower() in self.parameters:
            return syntax.Argument(found.column, token.start - self.start_of_part, token.end - self.start_of_part)
        return found

    def _drop_program(self) -> syntax.DropTrigger | syntax.DropRoutine:
        cursor = self.cursor
        cursor.read()
        kind = cursor.read().word
        if_exists = cursor.accept("IF", "EXISTS")
        path = cursor.path()
        return syntax.DropTrigger(path, if_exists) if kind == "TRIGGER" else syntax.DropRoutine(kind, path, if_exists)

    def _one_of(self, *words: str) -> str:
        found = self.cursor.accept_one(*words)
        if not found:
            self.cursor.expect(words[0])
        return found


_ESCAPES = str.maketrans({"'": "''", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\0": "\\0"})
_ACCESS = ("CONTAINS SQL", "NO SQL", "READS SQL DATA", "MODIFIES SQL DATA")


def _quoted(text: str) -> str:
    """Return a comment as the server quotes it."""
    return f"'{text.translate(_ESCAPES)}'"
