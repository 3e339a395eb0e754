"""The coordinates that mysqldump, mariadb-dump and mydumper write into their files."""

import re

from pybinlog.catalog.coordinates import Coordinates

_LOG_FILE = re.compile(
    r"^(?:--[ \t]*)?CHANGE[ \t]+(?:MASTER|REPLICATION[ \t]+SOURCE)[ \t]+TO[ \t]+(?:MASTER|SOURCE)_LOG_FILE[ \t]*=[ \t]*"
    r"'([^'\n]+)'[ \t]*,[ \t]*(?:MASTER|SOURCE)_LOG_POS[ \t]*=[ \t]*(\d+)",
    re.IGNORECASE | re.MULTILINE,
)
"""As --source-data (--master-data) writes it; with =2 it is a comment."""
_PURGED = re.compile(
    r"SET[ \t]+@@GLOBAL\.GTID_PURGED[ \t]*=[ \t]*(?:/\*!\d+[ \t]*'\+'[ \t]*\*/)?[ \t]*'([^']*)'", re.IGNORECASE
)
_SLAVE_POS = re.compile(r"^(?:--[ \t]*)?SET[ \t]+GLOBAL[ \t]+gtid_slave_pos[ \t]*=[ \t]*'([^']*)'", re.I | re.MULTILINE)
_OF_ITS_SOURCE = re.compile(r"\(?of (?:this|the) (?:slave|replica)|the (?:master|source) of this", re.IGNORECASE)
"""In the comment before coordinates in the logs of the server's own source (--dump-replica)."""
_COMMENT = 200
_MYDUMPER = re.compile(
    r"SHOW (?:MASTER|BINARY LOG) STATUS:\s*Log:[ \t]*(\S+)\s+Pos:[ \t]*(\d+)(?:\s+GTID:[ \t]*([0-9a-fA-F:,\- \t\n]*))?"
)
_MYDUMPER_SECTION = re.compile(r"^\[(?:source|master)\][ \t]*\n(.*?)(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(
    r"""^[# \t]*(File|SOURCE_LOG_FILE|Position|SOURCE_LOG_POS|Executed_Gtid_Set)[ \t]*=[ \t]*"?([^"\n]*)""",
    re.MULTILINE,
)


def coordinates_of_dump(text: str) -> Coordinates:
    """Return the coordinates in a dump by mysqldump, mysqlpump or mariadb-dump; empty if it contains none."""
    log, position = "", 0
    for match in _LOG_FILE.finditer(text):
        if not _OF_ITS_SOURCE.search(text[max(match.start() - _COMMENT, 0) : match.start()]):
            log, position = match[1].rpartition("/")[2], int(match[2])
            break
    gtids = _PURGED.search(text) or _SLAVE_POS.search(text)
    return Coordinates(log, position, "".join(gtids[1].split()) if gtids else "")


def coordinates_of_mydumper(metadata: str) -> Coordinates:
    """Return the coordinates in mydumper's file `metadata`, of version 0.9 or of 0.12 and later."""
    match = _MYDUMPER.search(metadata)
    if match is not None:
        return Coordinates(match[1], int(match[2]), "".join((match[3] or "").split()))
    section = _MYDUMPER_SECTION.search(metadata)
    fields = {name.upper(): value.strip() for name, value in _FIELD.findall(section[1])} if section else {}
    position = fields.get("POSITION") or fields.get("SOURCE_LOG_POS") or "0"
    log = fields.get("FILE") or fields.get("SOURCE_LOG_FILE") or ""
    return Coordinates(
        log.strip("'") if position.strip("'").isdigit() else "",
        int(position.strip("'")) if position.strip("'").isdigit() else 0,
        "".join(fields.get("EXECUTED_GTID_SET", "").split()),
    )
