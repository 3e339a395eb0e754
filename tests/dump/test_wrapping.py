"""The statements around a text."""

from typing import Any

import pytest

from pybinlog.dump import DumpOptions
from pybinlog.dump.wrapping import closing, opening

HEAD = (
    "# Written by pybinlog 1.2. Lines that begin with # are comments, the rest is SQL for the mysql client.\n"
    "/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=1*/;\n"
)
COMPLETION = "/*!50003 SET @OLD_COMPLETION_TYPE=@@COMPLETION_TYPE,COMPLETION_TYPE=0*/;\n"
END = "# End of log file\n/*!50003 SET COMPLETION_TYPE=@OLD_COMPLETION_TYPE*/;\n"
MODE = "/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=0*/;\n"
CHARSET = """
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8\udcff */;
"""
OLD_CHARSET = """/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
"""


@pytest.mark.parametrize(
    ("options", "first", "second"),
    [
        ({}, HEAD + COMPLETION, END + MODE),
        (
            {"disable_log_bin": True},
            f"{HEAD}/*!32316 SET @OLD_SQL_LOG_BIN=@@SQL_LOG_BIN, SQL_LOG_BIN=0*/;\n{COMPLETION}",
            f"{END}/*!32316 SET SQL_LOG_BIN=@OLD_SQL_LOG_BIN*/;\n{MODE}",
        ),
        ({"set_charset": "utf8\udcff"}, HEAD + COMPLETION + CHARSET, END + OLD_CHARSET + MODE),
        (
            {"idempotent": True},
            f"{HEAD}{COMPLETION}/*!50700 SET @@SESSION.RBR_EXEC_MODE=IDEMPOTENT*/;\n\n",
            f"{END}{MODE}/*!50700 SET @@SESSION.RBR_EXEC_MODE=STRICT*/;\n",
        ),
        (
            {"require_row_format": True},
            f"{HEAD}{COMPLETION}/*!80019 SET @@SESSION.REQUIRE_ROW_FORMAT=1*/;\n\n",
            END + MODE,
        ),
    ],
)
def test_a_text_prepares_the_session_and_restores_it(options: dict[str, Any], first: str, second: str) -> None:
    made = DumpOptions().replace(**options)
    assert opening(made, "1.2") == f"{first}DELIMITER /*!*/;\n".encode("utf-8", "surrogateescape")
    assert closing(made, b"XA COMMIT 'a';\n") == b"DELIMITER ;\nXA COMMIT 'a';\n" + second.encode()
    assert closing(made) == b"DELIMITER ;\n" + second.encode()
