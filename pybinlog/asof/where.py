"""Conditions on a row at a moment, asked of the images of its changes."""

from typing import Any

from pybinlog.kernel.condition.row_condition import RowCondition
from pybinlog.record import Record
from pybinlog.where import Condition, tree
from pybinlog.where.binding import Binder
from pybinlog.where.tree import WhereError
from pybinlog.where.zone import zone_of


def of_image(condition: Condition, image: str) -> RowCondition:
    """Return the condition for the "before" images of changes, or for the "after" images."""
    return RowCondition(Binder(on_image(condition.tree, image), zone_of(condition.time_zone)), True)


def on_image(node: Any, image: str) -> Any:
    """Return a part of a tree with its columns in that image."""
    if isinstance(node, tree.Column):
        return node.replace(image=image)
    if isinstance(node, tuple):
        return tuple(on_image(value, image) for value in node)
    if isinstance(node, Record):
        return type(node)(*(on_image(value, image) for value in node.values()))
    return node


def about_one_image(condition: Condition) -> None:
    """Raise WhereError if a condition compares a row with itself at another time."""
    for column in tree.columns_of(condition.tree):
        if column.image:
            raise WhereError(f"a row at a moment has one image: write {column.name}, not {column}")
    if has_changed(condition.tree):
        raise WhereError("a row at a moment has one image, so that changed() has no meaning")


def has_changed(node: object) -> bool:
    if isinstance(node, tree.Changed):
        return True
    if isinstance(node, tree.Logic):
        return any(map(has_changed, node.operands))
    return False
