"""Recognize files that are not binary logs, but are taken for one, by their first bytes."""

from pybinlog.visible import argument

NOT_A_LOG = "not a binary log"
"""The message for a file of a form that is not known here."""
HEAD = 262
"""Bytes that tell them apart."""
TAR_MAGIC, TAR_MAGIC_AT = b"ustar", 257
LZ4_MAGICS = (b"\x04\x22\x4d\x18", b"\x02\x21\x4c\x18")  # a frame, and the form before frames
ZIP_MAGICS = (b"PK\3\4", b"PK\5\6")
INNODB_MAGIC = b"\xfe\xfe\x0d\x01"
"""The magic bytes of MariaDB 12.3 and later with binlog_storage_engine=innodb."""
INNODB_SUFFIX = ".ibb"
INNODB_HINT = "pybinlog does not read InnoDB's binary logs; mariadb-binlog of MariaDB 12.3 or later does"


def foreign_form(head: bytes, name: str) -> tuple[str, str] | None:
    """Return what a file is, by its first HEAD bytes and its name, and the way out; None if that is not known."""
    file = argument(name)
    if head.startswith(INNODB_MAGIC) or name.endswith(INNODB_SUFFIX):
        return "not a binary log file but a page file of InnoDB's binary log", INNODB_HINT
    if head[TAR_MAGIC_AT:].startswith(TAR_MAGIC):
        return "a tar archive, not a binary log", f"Unpack it, and name the logs: tar -xf {file}"
    if head.startswith(LZ4_MAGICS):
        return "compressed by lz4, which pybinlog does not read", f"Read it through a pipe: lz4 -dc {file} | pybinlog -"
    if head.startswith(ZIP_MAGICS):
        return (
            "a zip archive, not a binary log",
            f"Unpack it, and name the logs; one log can go through a pipe: unzip -p {file} | pybinlog -",
        )
    return None
