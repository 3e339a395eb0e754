"""The kind of a DDL statement: its verb and what it defines, as in CREATE TEMPORARY TABLE."""

from __future__ import annotations

import re

MOST = 200
"""Characters of a statement that hold its kind."""
QUIET = re.compile(r"/\*(?!M?!).*?(?:\*/|$)|--[ \t].*?(?:\n|$)|#.*?(?:\n|$)|`[^`]*`|'[^']*'|\"[^\"]*\"", re.DOTALL)
"""Comments and quoted names: no words of the statement."""
WORD = re.compile(r"[A-Z_]+")
OBJECTS = frozenset(
    {"DATABASE", "SCHEMA", "TABLE", "TABLESPACE", "INDEX", "VIEW", "SEQUENCE", "TRIGGER", "EVENT", "PROCEDURE"}
    | {"FUNCTION", "PACKAGE", "ROLE", "SERVER", "USER"}
)
ALONE = frozenset({"GRANT", "REVOKE"})


def ddl_kind(query: str) -> str:
    """Return the kind in upper case; the first two words of a statement that is not CREATE, ALTER, DROP or RENAME."""
    words: list[str] = WORD.findall(QUIET.sub(" ", query[:MOST].upper()))
    if not words:
        return ""
    verb = words[0]
    if verb in ALONE:
        return verb
    if verb == "TRUNCATE":
        return "TRUNCATE TABLE"
    for at, word in enumerate(words):
        if word in OBJECTS:
            return " ".join([verb, *(["TEMPORARY"] if "TEMPORARY" in words[:at] else []), word])
    return " ".join(words[:2])
