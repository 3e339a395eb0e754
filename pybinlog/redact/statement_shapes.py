"""StatementShapes: statements masked by the rules of the first one of their shape, which differs in literals alone."""

from pybinlog.kernel.mask.row_mask import RowMask
from pybinlog.kernel.mask.statement_literals import READS_ANSI, READS_BACKSLASH, READS_UNKNOWN, StatementLiterals
from pybinlog.redact import statement_text
from pybinlog.redact.statement_text import MaskedStatement, Session, masked_statement, masked_string

MOST_SHAPES = 1024
LONGEST_SHAPE = 16384
_DEFAULT = Session()


class StatementShapes:
    """Masks statements that change rows. One dictionary knows the plan of each shape and session."""

    def __init__(self, mask: RowMask):
        self._mask = mask
        self._shape = StatementLiterals()
        self._plans: dict[tuple[bytes, Session | None], bytes | None] = {}

    def masked(self, text: bytes, session: Session | None) -> MaskedStatement:
        """Return what `masked_statement` returns, which masks statements of unknown and of rare shapes."""
        shape = self._read(text, session)
        if shape is None:
            return masked_statement(self._mask, text, session)
        key = shape, session
        if key in self._plans:
            plan = self._plans[key]
            return (
                masked_statement(self._mask, text, session)
                if plan is None
                else MaskedStatement(self._by_plan(text, plan, session))
            )
        result = masked_statement(self._mask, text, session)
        plan = None
        if result.actions is not None and not result.kept:
            plan = self._shape.plan(list(result.actions))
            if plan is not None and self._by_plan(text, plan, session) != result.text:
                plan = None
        if len(shape) <= LONGEST_SHAPE:
            if len(self._plans) == MOST_SHAPES:
                self._plans.clear()
            self._plans[key] = plan
        return result

    def _read(self, text: bytes, session: Session | None) -> bytes | None:
        if session is None:
            if not text.isascii() and not statement_text.is_utf8(text):
                return None
            return self._shape.read(text, READS_UNKNOWN)
        if session.character_set in statement_text.WIDE:
            return None
        ansi = READS_ANSI if session.sql_mode & statement_text.ANSI_QUOTES else 0
        return self._shape.read(
            text, ansi if session.sql_mode & statement_text.NO_BACKSLASH_ESCAPES else ansi | READS_BACKSLASH
        )

    def _by_plan(self, text: bytes, plan: bytes, session: Session | None) -> bytes:
        own = session or _DEFAULT
        return self._shape.masked(
            self._mask, text, plan, own.mariadb, lambda data, collation: masked_string(self._mask, data, collation, own)
        )
