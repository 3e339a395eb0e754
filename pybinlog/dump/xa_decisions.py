"""XaDecisions: the statements that finish the XA transactions of a text that was cut (`--resolve-xa`)."""

from __future__ import annotations

from collections.abc import Sequence

from pybinlog.visible import visible

SHOWN = 3
"""Ids in a warning."""


class XaDecisions:
    """XA transactions of which the text has only a part; ids are text as XA COMMIT takes them.

    `opened`: the text ends inside of this one; True if its XA END is printed. `prepared`: XA PREPARE is printed, and no
    decision. `dropped`: the decision was dropped, because XA PREPARE is not printed.
    """

    def __init__(
        self, how: str, opened: tuple[bytes, bool] | None, prepared: Sequence[bytes], dropped: Sequence[bytes]
    ):
        self._how = how
        self._opened = opened
        self._prepared = prepared
        self._dropped = dropped

    def rolled_back(self) -> bytes:
        """Return the statements that end the transaction inside of which the text ends; none if it does not.

        Until they are run, the session can neither set GTID_NEXT nor decide about another transaction.
        """
        if self._opened is None:
            return b""
        xid, ended = self._opened
        ending = b"" if ended else b"XA END " + xid + b"\n/*!*/;\n"
        return b"# The text ends before XA PREPARE.\n" + ending + b"XA ROLLBACK " + xid + b"\n/*!*/;\n"

    def decided(self) -> bytes:
        """Return the statements that decide about what is prepared, or the comment that says what is held."""
        if not self._prepared:
            return b""
        if self._how == "hold":
            lines = [b"# Left prepared, for a later XA COMMIT or XA ROLLBACK:", *map(comment, self._prepared)]
        else:
            lines = [b"# Prepared in this text and not decided in it:"]
            lines += [b"XA " + self._how.upper().encode() + b" " + xid + b";" for xid in self._prepared]
        return b"".join(line + b"\n" for line in lines)

    def warnings(self) -> list[str]:
        """Return what the user has to know of decisions that are not in the text."""
        if not self._dropped:
            return []
        shown = [visible(xid.decode("utf-8", "surrogateescape")) for xid in self._dropped[:SHOWN]]
        more = f" and {len(self._dropped) - SHOWN} more" if len(self._dropped) > SHOWN else ""
        return [
            "--resolve-xa drops the XA COMMIT or XA ROLLBACK of transactions whose XA PREPARE is not in the text: "
            f"{'; '.join(shown)}{more}."
        ]


def comment(xid: bytes) -> bytes:
    return b"#   " + visible(xid.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
