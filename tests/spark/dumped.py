"""All that a dump tells, without Spark or with jobs."""

import io
import os
from collections.abc import Iterable
from typing import Any

from pybinlog.dump import DumpOptions, run
from pybinlog.errors import BinlogError
from pybinlog.spark.dump import Text
from pybinlog.spark.dump_stages import TextPlan
from tests.parity.standard_error import GAP

Dumped = tuple[bytes, list[str], str]
"""Text, warnings, error."""


def dumped(names: Iterable[Any], options: DumpOptions, jobs: Any = None) -> Dumped:
    """By the plain dump; with `jobs`, by that of Spark. The logs need not continue each other."""
    options = options.replace(allow_gaps=True)
    output = io.BytesIO()
    warnings: list[str] = []
    error = ""
    try:
        if jobs is None:
            run([str(name) for name in names], options, output, warnings.append)
        else:
            logs = [str(name) for name in names]
            Text(logs, TextPlan(options, len(logs), jobs.spool), warnings.append, jobs).to_output(output)
            assert not os.listdir(jobs.spool)
    except BinlogError as found:
        error = f"{type(found).__name__}: {found}"
    return output.getvalue(), [warning for warning in warnings if not GAP.search(warning)], error
