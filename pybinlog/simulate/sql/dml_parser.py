"""Reads statements that move rows, and SET.

Source: the manual, "Data Manipulation Statements".
"""

from pybinlog.schema.expression import Expression, Name, String, Truth
from pybinlog.schema.expression_parser import ExpressionParser
from pybinlog.schema.lexer import TokenKind
from pybinlog.simulate.sql import syntax

_AFTER_SELECT = frozenset({"GROUP", "HAVING", "UNION", "WINDOW", "FOR", "LOCK", "INTO", "EXCEPT", "INTERSECT"})
_JOINS = ("JOIN", "INNER", "CROSS")
_OTHER_JOINS = frozenset({"LEFT", "RIGHT", "NATURAL", "STRAIGHT_JOIN", "USING", "PARTITION", "FORCE", "USE", "IGNORE"})
_SCOPES = ("SESSION", "LOCAL", "GLOBAL", "PERSIST", "PERSIST_ONLY")


class DmlParser(ExpressionParser):
    """Reads one statement that moves rows, or SET, or what may be part of one."""

    def dml(self) -> syntax.Insert | syntax.Update | syntax.Delete | None:
        """Return INSERT, REPLACE, UPDATE or DELETE; None if the statement is another one."""
        word = self.cursor.peek().word
        if word in ("INSERT", "REPLACE"):
            return self._insert()
        if word == "UPDATE":
            return self._update()
        return self._delete() if word == "DELETE" else None

    def query(self) -> syntax.Select:
        cursor = self.cursor
        cursor.expect("SELECT")
        if cursor.peek().word in ("DISTINCT", "ALL", "STRAIGHT_JOIN", "SQL_CALC_FOUND_ROWS"):
            raise cursor.unknown(f"SELECT {cursor.peek().word}")
        items = cursor.listed(self._item)
        tables = self._tables() if cursor.accept("FROM") else ()
        rows = self._rest(tables)
        if cursor.peek().word in _AFTER_SELECT:
            raise cursor.unknown(f"SELECT ... {cursor.peek().word}")
        return syntax.Select(items, rows)

    def _item(self) -> syntax.Item:
        cursor = self.cursor
        if cursor.accept_sign("*"):
            return syntax.Item(None, "*")
        if cursor.at_name and cursor.at_sign(".", 1) and cursor.at_sign("*", 2):
            table = cursor.name()
            cursor.read()
            cursor.read()
            return syntax.Item(None, "*", table)
        start = cursor.peek().start
        expression = self.expression()
        text = expression.column if isinstance(expression, Name) else cursor.text_since(start)
        return syntax.Item(expression, self._alias() or text)

    def _alias(self) -> str:
        if self.cursor.accept("AS"):
            return self.cursor.word_or_string()
        return self.cursor.name() if self.cursor.at_name and self.cursor.peek().word not in _AFTER_SELECT else ""

    def _tables(self) -> tuple[syntax.Joined, ...]:
        """Return the tables of FROM or UPDATE, with their joins."""
        cursor = self.cursor
        found = [self._table()]
        while True:
            if cursor.accept_sign(","):
                found.append(self._table())
            elif cursor.peek().word in _OTHER_JOINS:
                raise cursor.unknown(f"{cursor.peek().word} after a table")
            elif word := cursor.accept_one(*_JOINS):
                if word != "JOIN":
                    cursor.expect("JOIN")
                table = self._table()
                on = self.expression() if cursor.accept("ON") else None
                found.append(syntax.Joined(table.path, table.alias, on))
            else:
                return tuple(found)

    def _table(self) -> syntax.Joined:
        if self.cursor.at_sign("("):
            raise self.cursor.unknown("a subquery or a nested join in the place of a table")
        path = self.cursor.path()
        return syntax.Joined(path, self._alias() or path[1])

    def _rest(self, tables: tuple[syntax.Joined, ...]) -> syntax.Rows:
        """Read WHERE, ORDER BY and LIMIT."""
        cursor = self.cursor
        where = self.expression() if cursor.accept("WHERE") else None
        order = cursor.listed(self._order) if cursor.accept("ORDER", "BY") else ()
        limit = cursor.integer() if cursor.accept("LIMIT") else None
        if limit is not None and (cursor.at_sign(",") or cursor.at_words("OFFSET")):
            raise cursor.unknown("LIMIT with an offset")
        return syntax.Rows(tables, where, order, limit)

    def _order(self) -> syntax.Order:
        return syntax.Order(self.expression(), self.cursor.accept_one("ASC", "DESC") == "DESC")

    def _options(self) -> None:
        """Pass words between the first one and the table that change nothing."""
        while self.cursor.accept_one("LOW_PRIORITY", "HIGH_PRIORITY", "QUICK"):
            pass
        if self.cursor.peek().word in ("IGNORE", "DELAYED"):
            raise self.cursor.unknown(self.cursor.peek().word)

    def _insert(self) -> syntax.Insert:
        cursor = self.cursor
        replaces = cursor.read().word == "REPLACE"
        delayed = cursor.accept("DELAYED")
        self._options()
        cursor.accept("INTO")
        path = cursor.path()
        columns: tuple[str, ...] | None = None
        values: tuple[tuple[Expression, ...], ...] = ()
        query = None
        if cursor.at_sign("(") and cursor.peek(1).word != "SELECT":
            columns = cursor.names() or None
        if cursor.accept("SET"):
            assignments = self._assignments()
            columns = tuple(assignment.column for assignment in assignments)
            values = (tuple(assignment.value for assignment in assignments),)
        elif cursor.accept_one("VALUES", "VALUE"):
            values = cursor.listed(self._values)
        else:
            query = self.query_in_parentheses()
        if cursor.at_words("AS"):
            raise cursor.unknown("an alias of the new row")
        updates = self._assignments() if cursor.accept("ON", "DUPLICATE", "KEY", "UPDATE") else ()
        return syntax.Insert(path, columns, values, query, updates, replaces, delayed)

    def _values(self) -> tuple[Expression, ...]:
        if self.cursor.at_sign(")", 1):
            self.cursor.expect_sign("(")
            self.cursor.expect_sign(")")
            return ()
        return self.cursor.in_parentheses(self.expression)

    def query_in_parentheses(self) -> syntax.Select:
        """Return a query, perhaps in parentheses."""
        parenthesis = self.cursor.accept_sign("(")
        query = self.query()
        if parenthesis:
            self.cursor.expect_sign(")")
        return query

    def _assignments(self) -> tuple[syntax.Assignment, ...]:
        return self.cursor.listed(self._assignment)

    def _assignment(self) -> syntax.Assignment:
        parts = [self.cursor.name()]
        while self.cursor.accept_sign("."):
            parts.append(self.cursor.name())
        self.cursor.expect_sign("=")
        return syntax.Assignment(parts[-1], parts[-2] if len(parts) > 1 else "", self.expression())

    def _update(self) -> syntax.Update:
        self.cursor.read()
        self._options()
        tables = self._tables()
        self.cursor.expect("SET")
        assignments = self._assignments()
        return syntax.Update(assignments, self._rest(tables))

    def _delete(self) -> syntax.Delete:
        cursor = self.cursor
        cursor.read()
        self._options()
        targets: tuple[str, ...] = ()
        if not cursor.accept("FROM"):
            targets = cursor.listed(lambda: cursor.path()[1])
            cursor.expect("FROM")
        elif cursor.at_sign(",", 1) or cursor.peek(1).word == "USING":
            raise cursor.unknown("DELETE ... USING")
        tables = self._tables() if targets else (self._table(),)
        return syntax.Delete(targets, self._rest(tables))

    def set(self) -> syntax.SetVariables:
        self.cursor.read()
        return syntax.SetVariables(self.cursor.listed(self._setting))

    def _setting(self) -> syntax.Setting:
        cursor = self.cursor
        if cursor.accept("NAMES"):
            charset = cursor.word_or_string() if not cursor.accept("DEFAULT") else ""
            collation = cursor.word_or_string() if cursor.accept("COLLATE") else ""
            return syntax.Setting("SESSION", "names", words=(charset, collation))
        if cursor.at_words("CHARACTER", "SET") or cursor.at_words("CHARSET"):
            raise cursor.unknown("SET CHARACTER SET")
        scope = cursor.accept_one(*_SCOPES) or "SESSION"
        token = cursor.read()
        name = token.text
        if token.kind is TokenKind.VARIABLE:
            scope = "USER"
        elif token.kind is TokenKind.SYSTEM_VARIABLE:
            before, _, name = name.rpartition(".")
            scope = before.upper() or scope
        elif token.kind not in (TokenKind.WORD, TokenKind.QUOTED_NAME):
            raise cursor.unknown()
        if not cursor.accept_sign(":="):
            cursor.expect_sign("=")
        if scope == "USER":
            if cursor.at_words("DEFAULT"):
                raise cursor.unknown("DEFAULT for a user variable")
            return syntax.Setting(scope, name, self.expression())
        value = String(cursor.read().text) if cursor.peek().word in ("ON", "BINARY") else self.expression()
        if isinstance(value, (Name, Truth)):  # a word stands for itself
            value = String(str(value) if isinstance(value, Name) else str(int(value.value)))
        return syntax.Setting("SESSION" if scope == "LOCAL" else scope, name.lower(), value)
