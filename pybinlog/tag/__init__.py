"""Transaction boundary markers written into logs, as a server with WL#4162 would write them (its F1), or cleared.

with open_source("binlog.000001") as source, Replacement("marked.000001") as replacement:
    Tagger().log(source, replacement.write)
    replacement.commit()

See docs/tag.md.
"""

from pybinlog.output.replacement import Replacement
from pybinlog.tag.tagger import LogTags, Tagger

__all__ = ["LogTags", "Replacement", "Tagger"]
