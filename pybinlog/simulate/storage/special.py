"""Functions that have a grammar of their own, such as TRIM(BOTH 'x' FROM y)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .charset import decode_text, named_character_set
from .value import Text, Value, to_integer, to_text

if TYPE_CHECKING:
    from .environment import Environment
    from .expression import Evaluator

__all__ = ["char", "extract", "json_object", "substring", "trim"]


def trim(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    value = evaluator.evaluate(node.this, env)
    what = node.args.get("expression")
    removed = evaluator.evaluate(what, env) if what is not None else " "
    if value is None or removed is None:
        return None
    text, part = to_text(value), to_text(removed)
    position = (node.args.get("position") or "BOTH").upper()
    while part and position in ("BOTH", "LEADING") and text.startswith(part):
        text = text[len(part) :]
    while part and position in ("BOTH", "TRAILING") and text.endswith(part):
        text = text[: -len(part)]
    return Text(text, value.collation) if isinstance(value, Text) else text


def substring(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    arguments = [node.this, node.args.get("start"), node.args.get("length")]
    return evaluator.call("SUBSTRING", [argument for argument in arguments if argument is not None], env, node)


def json_object(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    arguments = [part for pair in node.expressions for part in (pair.this, pair.expression)]
    return evaluator.call("JSON_OBJECT", arguments, env, node)


def extract(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    return evaluator.call(str(node.this.name).upper(), [node.expression], env, node)


def char(evaluator: Evaluator, node: Any, env: Environment) -> Value:
    values = [evaluator.evaluate(argument, env) for argument in node.expressions]
    numbers = [to_integer(value) & 0xFFFFFFFF for value in values if value is not None]
    data = b"".join(number.to_bytes(max(1, (number.bit_length() + 7) // 8), "big") for number in numbers)
    charset = node.args.get("charset")
    if not charset:
        return data
    collation = named_character_set(charset.name, evaluator.session.storage.version)
    return Text(decode_text(data, collation), collation)
