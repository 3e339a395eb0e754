"""Export: views of logs as files of a columnar or text format, one for each log."""

from __future__ import annotations

from pybinlog.export.job import ExportJob, Target
from pybinlog.export.writers import FORMATS

__all__ = ["FORMATS", "ExportJob", "Target"]
