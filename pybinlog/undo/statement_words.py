"""Classify a logged statement by its first words; pybinlog does not parse it."""

from __future__ import annotations

import re

LONGEST = 60
"""Characters of a statement that a message shows."""
HARMLESS = re.compile(
    r"(?:\s|\(|/\*(?!M?!).*?\*/)*(?:SAVEPOINT|RELEASE|ROLLBACK|XA|SET|FLUSH|ANALYZE|OPTIMIZE|REPAIR|CHECK|CHECKSUM|GRANT|"
    r"REVOKE|BEGIN|COMMIT|START|USE|LOCK|UNLOCK|INSTALL|UNINSTALL|KILL|RESET|CHANGE|PURGE|BINLOG)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Statements that change no rows of tables."""
ROLLBACK = re.compile(r"\s*ROLLBACK\b", re.IGNORECASE)
XA_DECISION = re.compile(r"\s*XA\s+(COMMIT|ROLLBACK)\b", re.IGNORECASE)


def changes_rows(text: str) -> bool:
    """Return True if a statement that defines nothing may change rows."""
    return HARMLESS.match(text) is None


def rolls_back(text: str) -> bool:
    """Return True for ROLLBACK, also to a savepoint."""
    return ROLLBACK.match(text) is not None


def decision_of(text: str) -> str:
    """Return COMMIT or ROLLBACK for a statement that decides a prepared XA transaction; "" for any other."""
    found = XA_DECISION.match(text)
    return "" if found is None else found[1].upper()


def shown(text: str) -> str:
    """Return the beginning of a statement, in one line."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 3] + "..."
