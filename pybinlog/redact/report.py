"""The report of a redacted log: what is masked, what stays, and what masking cannot hide; a person can sign it."""

from pybinlog.event_types import printed_name
from pybinlog.kernel.mask import row_mask
from pybinlog.redact.redactor import Redaction
from pybinlog.visible import visible

NAMES = "names of databases, tables, columns, routines, savepoints and user variables"
UUIDS = "UUIDs of servers"
TAGS = "tags of GTIDs"
STAYS = (
    "times, GTIDs, server ids, thread ids, xids of engines, the version of the server",
    "the sizes of types in definitions, AUTO_INCREMENT of tables, numbers of sequences and of CREATE SERVER",
    "definitions of spatial reference systems; places of columns in ORDER BY and GROUP BY",
    "time zones; partition numbers of row events",
    "NULL, 0, zero dates, midnight, empty texts, true and false in JSON, infinite numbers; 1 in a BIT(1)",
    "spaces, commas, quotes, line ends and the characters \\ % _ $ in texts",
    "signs between the values of files that LOAD DATA read, and its terminators",
)
CANNOT_HIDE = (
    "lengths of texts, digits of whole numbers, exponents of FLOAT and DOUBLE, SRIDs and points of shapes",
    "which values are equal, in one table and across tables, and how often; columns with few values show them by that",
    "the order of changes, their times and their sizes; one bit of each byte of a masked UUID",
    "what a collation takes for equal but for accents and case, such as æ and ae, or wide digits: the masks may differ",
    "big5_chinese_ci, gbk_chinese_ci and latin7_general_ci take some signs for letters: a unique key may refuse a row",
    "the same text beyond ASCII in columns of different collations gets masks that may differ",
    "an integer in the highest count of digits of its type is masked apart from wider types: joins miss it",
    "a number of a statement is masked as an INT",
    "texts that differ may begin with the same letters then: a unique key over a prefix may refuse a row",
    "a year is masked apart from a whole number; a text beyond ASCII in latin1, gbk ... apart from the same in UTF-8",
)
MOVED = "events have other positions than in the log, because others are dropped or were compressed again"
_VALUES = {
    row_mask.REMARK_ENUM: "an ENUM whose members the log lacks: all values became its first member",
    row_mask.REMARK_SET: "a SET whose members the log lacks: values became its first members",
    row_mask.REMARK_BYTES: "texts of which the log lacks the collation: their mask is UTF-8 if they were, and keys may "
    "collide",
    row_mask.REMARK_COLLATIONS: "texts beyond ASCII in a collation, or with characters, whose order pybinlog does not "
    "know: equal ones may become unequal, and keys may collide",
    row_mask.REMARK_CODES: "characters that have a second code in their character set (sjis, ujis, eucjpms): written "
    "with that code, each stays as it is",
    row_mask.REMARK_COMPRESSED: "values of COMPRESSED columns: replaced by letters that are not compressed",
    row_mask.REMARK_SIGN: "integers of which the log lacks the sign: masked as if they had one",
}


def unmasked(done: Redaction) -> list[str]:
    """Return what is not masked."""
    lines = [*STAYS]
    if not done.tags:
        lines.insert(0, TAGS)
    if done.names is None:
        return [NAMES, UUIDS, *lines]
    if done.names.words:
        words = ", ".join(sorted(word.lower() for word in done.names.words))
        lines.insert(0, f"names that are words of SQL: {words}")
    return lines


def report(name: str, done: Redaction) -> str:
    """Return the report of one log."""
    remarks = done.remarks
    lines = [
        f"pybinlog redact: {visible(name)}",
        "",
        f"{sum(done.events.values())} events, {done.rows} rows, {done.values} values, {done.size} bytes",
        *(f"  {printed_name(kind):<24}{number:>12}" for kind, number in sorted(done.events.items())),
        "",
        *(["Masked: names, and UUIDs of servers."] if done.names is not None else []),
        *(["Masked: tags of GTIDs."] if done.tags else []),
        "Masked: values of rows, literals of statements, values of user variables, INSERT_ID, LAST_INSERT_ID, seeds of",
        "RAND, xids of XA transactions, accounts, members of ENUM and SET, file names, error texts. Comments: blanked.",
        "",
        "Not masked:",
        *(f"  - {line}" for line in unmasked(done)),
    ]
    if remarks.kept:
        lines += ["", "Not masked, from definitions. A masked value may break such a rule on a replica:"]
        lines += [f"  - {visible(clause.decode('utf-8', 'backslashreplace'))}" for clause in sorted(remarks.kept)]
    notes = [text for bit, text in _VALUES.items() if done.value_remarks & bit]
    if remarks.statements_with_values:
        notes.append(
            f"{remarks.statements_with_values} logged statements had literals: what they do on a replica may differ"
        )
    if remarks.accounts:
        notes.append(f"{remarks.accounts} statements about accounts: each is FLUSH STATUS now")
    if remarks.unread:
        notes.append(f"{remarks.unread} statements that pybinlog cannot read wholly: masked wholly")
    if remarks.has_ansi_names and done.names is None:
        notes.append(
            "what is in double quotes in statements that ran under ANSI_QUOTES stays as a name: it is a value if the "
            "statement was prepared under another sql_mode"
        )
    if done.names is not None and done.names.has_foreign:
        notes.append("names beyond ASCII in statements that are not in UTF-8: their masks differ from those elsewhere")
    if done.has_moved:
        notes.append(MOVED)
    if done.transactions is not None:
        notes.append(f"{done.transactions[0]} of the log's {done.transactions[1]} transactions: it lacks the others")
    if done.was_encrypted:
        notes.append("the log was encrypted, and its redacted copy is not")
    if notes:
        lines += ["", "Take note:", *(f"  - {note}" for note in notes)]
    lines += ["", "Masking cannot hide:", *(f"  - {line}" for line in CANNOT_HIDE)]
    lines += ["", "Read by: ______________________    Date: ______________", ""]
    return "\n".join(lines)
