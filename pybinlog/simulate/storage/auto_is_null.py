"""sql_auto_is_null=1: a condition that finds the row just inserted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from .environment import Frame

if TYPE_CHECKING:
    from .expression import Evaluator

__all__ = ["auto_is_null"]


def auto_is_null(evaluator: Evaluator, condition: Any, frame: Frame) -> Any:
    """With sql_auto_is_null=1, `column IS NULL` finds the row just inserted: the condition that it stands for."""
    session = evaluator.session
    if not session.sql_auto_is_null or not session.auto_is_null_armed:
        return condition
    for node in condition.find_all(exp.Is):
        column = node.this
        if not isinstance(node.expression, exp.Null) or not isinstance(column, exp.Column):
            continue
        place = frame.find(column.name, column.table, column.db)
        table = frame.sources[place[0]].table if place is not None else None
        if place is None or table is None or not table.columns[place[1]].auto_increment:
            continue
        session.auto_is_null_armed = False
        equal = exp.EQ(this=column.copy(), expression=exp.Literal.number(evaluator.execution.last_insert_id()))
        return condition.transform(lambda part, was=node, new=equal: new if part is was else part, copy=False)
    return condition
