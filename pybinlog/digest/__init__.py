"""The digest of a statement: what is left if its values, comments and spaces are dropped.

Two statements have the same digest here if they have it in MySQL 9.7, whose STATEMENT_DIGEST_TEXT() is `digest_text`.
"""

from pybinlog.digest.digest_text import digest_text

__all__ = ["digest_text"]
