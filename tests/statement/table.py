"""The table of statements: one line for each, with what it does in the database d."""

from pybinlog.statement import Effect, Key
from pybinlog.statement.effect import (
    Dropped,
    Exchanged,
    ForeignKeyDropped,
    ForeignKeyMade,
    Lost,
    Made,
    Renamed,
    Step,
    TriggerMade,
)


def shown(effect: Effect) -> str:
    """Return an effect in short: operation, verb, tables whose rows change ("?": unknown), and the steps."""
    changed = "?" if effect.changed is None else " ".join(map(name_of, effect.changed))
    words = [effect.operation.name or "", f"[{effect.verb}]", changed, *map(shown_step, effect.steps)]
    return " ".join(filter(None, words))


def name_of(key: Key) -> str:
    return key[1] if key[0] == "d" else ".".join(key)


def shown_step(step: Step) -> str:
    kind = type(step).__name__
    if isinstance(step, Renamed):
        return f"{kind}({name_of(step.old)} {name_of(step.new)})"
    if isinstance(step, Exchanged):
        return f"{kind}({name_of(step.key)} {name_of(step.other)})"
    if isinstance(step, Made):
        signs = "?" * step.keeps + "!" * step.replaces + "~" * step.temporary
        like = f" {name_of(step.like)}" if step.like else ""
        return f"{kind}({name_of(step.key)}{signs}{like})"
    if isinstance(step, Lost):
        return f"{kind}({'*' if step.key is None else name_of(step.key)})"
    if isinstance(step, TriggerMade):
        return f"{kind}({name_of(step.key)} {name_of(step.table)} {' '.join(step.operations)})"
    if isinstance(step, ForeignKeyMade):
        one = step.reference
        actions = f" {one.on_delete}/{one.on_update}" if one.on_delete or one.on_update else ""
        return f"{kind}({name_of(one.child)}.{one.name} {name_of(step.parent)}{actions})"
    if isinstance(step, ForeignKeyDropped):
        return f"{kind}({name_of(step.table)}.{step.name})"
    if isinstance(step, Dropped):
        return f"{kind}({name_of(step.key)}{'~' if step.temporary else ''})"
    if hasattr(step, "name"):
        return f"{kind}({step.name})"
    return f"{kind}({name_of(step.key)})"
