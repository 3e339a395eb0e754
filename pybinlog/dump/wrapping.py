"""The statements that open and close a dump, around the text of the logs."""

from pybinlog.dump.options import DumpOptions


def opening(options: DumpOptions, version: str) -> bytes:
    """Return the head of the text: it prepares the session for binlog statements."""
    lines = [
        f"# Written by pybinlog {version}. Lines that begin with # are comments, the rest is SQL for the mysql client.",
        "/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=1*/;",
    ]
    if options.disable_log_bin:
        lines.append("/*!32316 SET @OLD_SQL_LOG_BIN=@@SQL_LOG_BIN, SQL_LOG_BIN=0*/;")
    lines.append("/*!50003 SET @OLD_COMPLETION_TYPE=@@COMPLETION_TYPE,COMPLETION_TYPE=0*/;")
    if options.set_charset is not None:
        lines += [
            "",
            "/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;",
            "/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;",
            "/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;",
            f"/*!40101 SET NAMES {options.set_charset} */;",
        ]
    if options.idempotent:
        lines += ["/*!50700 SET @@SESSION.RBR_EXEC_MODE=IDEMPOTENT*/;", ""]
    if options.require_row_format:
        lines += ["/*!80019 SET @@SESSION.REQUIRE_ROW_FORMAT=1*/;", ""]
    lines.append("DELIMITER /*!*/;")
    return "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")


def closing(options: DumpOptions, decisions: bytes = b"") -> bytes:
    """Return the end of the text: it decides XA transactions and restores the session."""
    lines = ["# End of log file", "/*!50003 SET COMPLETION_TYPE=@OLD_COMPLETION_TYPE*/;"]
    if options.disable_log_bin:
        lines.append("/*!32316 SET SQL_LOG_BIN=@OLD_SQL_LOG_BIN*/;")
    if options.set_charset is not None:
        lines += [
            "/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;",
            "/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;",
            "/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;",
        ]
    lines.append("/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;")
    if options.idempotent:
        lines.append("/*!50700 SET @@SESSION.RBR_EXEC_MODE=STRICT*/;")
    return b"DELIMITER ;\n" + decisions + "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
