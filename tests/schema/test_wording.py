"""The CREATE TABLE statement of a table in the server's words."""

import pytest

from pybinlog.schema import Settings, create_text

from .tables import defined

OLD = Settings(version=(5, 7))
TEXTS = "a TEXT CHARSET latin1, b CHAR(3) COLLATE latin1_bin, c ENUM('a') CHARSET gbk, d BLOB, e BINARY(3)"


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            "a TIMESTAMP DEFAULT NOW(), b TIMESTAMP(3) NULL DEFAULT NOW(3) ON UPDATE NOW(3), "
            "c DATETIME DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP NOT NULL, d TIMESTAMP",
            [
                "`a` timestamp NULL DEFAULT CURRENT_TIMESTAMP",
                "`b` timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3)",
                "`c` datetime NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP",
                "`d` timestamp NULL DEFAULT NULL",
            ],
        ),
        (
            "a INT DEFAULT TRUE, b INT DEFAULT -5, c INT DEFAULT 5, d VARCHAR(9) DEFAULT 'it''s \\\\'",
            [
                "`a` int DEFAULT '1'",
                "`b` int DEFAULT '-5'",
                "`c` int DEFAULT '5'",
                r"`d` varchar(9) DEFAULT 'it''s \\'",
            ],
        ),
        (
            "e INT DEFAULT NULL, f INT NOT NULL, g DECIMAL(5,2) DEFAULT -1, h INT DEFAULT (1+1), i INT DEFAULT FALSE",
            [
                "`e` int DEFAULT NULL",
                "`f` int NOT NULL",
                "`g` decimal(5,2) DEFAULT '-1.00'",
                "`h` int DEFAULT ''",
                "`i` int DEFAULT '0'",
            ],
        ),
        ("j TEXT, k JSON, l POINT NOT NULL", ["`j` text", "`k` json", "`l` point NOT NULL"]),
        (
            "`a``x` INT KEY, b CHAR(9), c CHAR(3) UNIQUE, KEY k (b(3), `a``x`), UNIQUE u (b, c(2))",
            [
                "`a``x` int NOT NULL",
                "`b` char(9) DEFAULT NULL",
                "`c` char(3) DEFAULT NULL",
                "PRIMARY KEY (`a``x`)",
                "UNIQUE KEY `c` (`c`)",
                "UNIQUE KEY `u` (`b`,`c`(2))",
                "KEY `k` (`b`(3),`a``x`)",
            ],
        ),
        ("a BIGINT AUTO_INCREMENT KEY", ["`a` bigint NOT NULL AUTO_INCREMENT", "PRIMARY KEY (`a`)"]),
        (
            TEXTS,
            [
                "`a` text CHARACTER SET latin1 COLLATE latin1_swedish_ci",
                "`b` char(3) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL",
                "`c` enum('a') CHARACTER SET gbk COLLATE gbk_chinese_ci DEFAULT NULL",
                "`d` blob",
                "`e` binary(3) DEFAULT NULL",
            ],
        ),
    ],
)
def test_columns_and_keys(columns: str, expected: list[str]) -> None:
    text = create_text(defined(f"CREATE TABLE t ({columns})"), Settings(), "d")
    assert text == "CREATE TABLE `t` (\n  " + ",\n  ".join(expected) + "\n) START TRANSACTION"


def test_an_old_server_leaves_default_collations_out() -> None:
    assert create_text(defined(f"CREATE TABLE t ({TEXTS}, f YEAR)", OLD), OLD, "d").splitlines() == [
        "CREATE TABLE `t` (",
        "  `a` text CHARACTER SET latin1,",
        "  `b` char(3) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL,",
        "  `c` enum('a') CHARACTER SET gbk DEFAULT NULL,",
        "  `d` blob,",
        "  `e` binary(3) DEFAULT NULL,",
        "  `f` year(4) DEFAULT NULL",
        ")",
    ]


@pytest.mark.parametrize(
    ("options", "settings", "expected"),
    [
        ("", Settings(), ") START TRANSACTION"),
        ("ENGINE=innodb", Settings(), ") START TRANSACTION ENGINE=InnoDB"),
        ("ENGINE=heap", Settings(), ") ENGINE=MEMORY"),
        ("ENGINE=innodb", OLD, ") ENGINE=InnoDB"),
        ("CHARSET latin1", OLD, ") DEFAULT CHARSET=latin1"),
        ("COLLATE latin1_bin", OLD, ") DEFAULT CHARSET=latin1 COLLATE=latin1_bin"),
        ("CHARSET utf8mb4", OLD, ") DEFAULT CHARSET=utf8mb4"),
        (
            "COLLATE utf8mb4_general_ci",
            Settings(),
            ") START TRANSACTION DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
        ),
        ("ENGINE=MyISAM COLLATE utf8mb4_0900_ai_ci", Settings(), ") ENGINE=MyISAM DEFAULT CHARSET=utf8mb4"),
    ],
)
def test_the_options_that_the_statement_names(options: str, settings: Settings, expected: str) -> None:
    text = create_text(defined(f"CREATE TABLE t (a DATE) {options}", settings), settings, "d")
    assert text.splitlines()[-1] == expected


@pytest.mark.parametrize(("database", "name"), [("d", "`t``x`"), ("e", "`d`.`t``x`"), (None, "`d`.`t``x`")])
def test_a_table_of_another_database_is_named_with_it(database: str | None, name: str) -> None:
    text = create_text(defined("CREATE TABLE `t``x` (a DATE)"), Settings(), database)
    assert text == f"CREATE TABLE {name} (\n  `a` date DEFAULT NULL\n) START TRANSACTION"
