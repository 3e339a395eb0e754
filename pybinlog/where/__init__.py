"""Conditions on the values of rows: `--where`.

    condition = Condition("id = 5 AND status IN ('new', 'paid')")
    binder = condition.binder()
    RowCondition(binder, condition.drops_unknown)                 # kernel/condition: asks of each row

`parser` reads the text, `tree` is what it may say, `binding` fits it to the columns of a table.
"""

from pybinlog.where.condition import Condition, WhereError

__all__ = ["Condition", "WhereError"]
