"""Logs that may be shown to others: every value masked, all else as it was.

with open_source("binlog.000001") as source, Replacement("shareable.000001") as replacement:
    Redactor(new_key()).log(source, replacement.write)
    replacement.commit()

See docs/redact.md.
"""

from pybinlog.redact.kept import Kept, kept_of
from pybinlog.redact.key import key_of_file, new_key
from pybinlog.redact.redactor import Redaction, Redactor
from pybinlog.redact.report import report

__all__ = ["Kept", "Redaction", "Redactor", "kept_of", "key_of_file", "new_key", "report"]
