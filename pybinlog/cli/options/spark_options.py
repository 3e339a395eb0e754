"""`--spark` and its companions: shared by the commands that run on Spark."""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager

import click

from pybinlog.cli.options.option import Kind, Option, conflict, flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from pybinlog.spark.jobs import SparkJobs

MASTER = r"local(-cluster)?(\[.*\])?|yarn|(spark|k8s)://.+"


def looks_like_master(word: str) -> bool:
    """Return True if the word after `--spark` is a master, not a log."""
    return re.fullmatch(MASTER, word) is not None


SPARK = Option(
    "spark",
    "Run on Spark, with the same result. MASTER is local[4], yarn, spark://host:7077 ...; the default is the master "
    "that spark-submit set, or local[*]. See docs/spark.md.",
    kind=Kind.MAYBE,
    metavar="MASTER",
    looks_right=looks_like_master,
)
OUTPUT_DIR = Option(
    "output-dir",
    "Let the executors write the text of each log to a file of its own in this folder (or at this URL), as a dump of "
    "this log alone.",
    metavar="FOLDER",
    requires=["spark"],
    excludes={"result-file": "", "color=always": ""},
)
JOINED = flag(
    "joined",
    "Write the text as one dump of all logs has it: concatenate the files in the order of FOLDER/MANIFEST to get it.",
    requires=["output-dir"],
)
OUTPUT_COMPRESSION = Option(
    "output-compression",
    "Compress each file. Concatenated zstd files are a valid zstd file.",
    type=click.Choice(["zstd"], case_sensitive=False),
    requires=["output-dir"],
)
SPARK_REFUSED = {"part-size": "{} no longer exists: with --spark, a task reads whole logs; leave it out."}
"""Options of earlier versions."""


def check_spark_names(names: Sequence[str]) -> None:
    """Raise click.UsageError if Spark cannot read one of the logs."""
    if "-" in names:
        raise conflict("spark", "standard input", "give the logs by their names")
    for name in names:
        if os.path.exists(name) and not os.path.isfile(name):
            raise conflict(
                "spark", f"{name}, which is a pipe or a device", "it reads a log more than once; give a file"
            )


@contextmanager
def spark_jobs(
    values: Mapping[str, Any], command: str, warn: Callable[[str], None] | None = None
) -> Iterator[SparkJobs]:
    """Start a Spark session for a command with these options, to run jobs on; its executors get the keyring."""
    from pybinlog.spark.session import spark_session

    with spark_session(values["spark"] or None, f"pybinlog {command}", warn) as session:
        from pybinlog.spark.jobs import SparkJobs

        if values["keyring"]:
            from pybinlog.spark.worker import ship

            ship(session.sparkContext, [*values["keyring"], *filter(None, [values["keyring_password_file"]])])
        with closing(SparkJobs(session.sparkContext)) as jobs:
            yield jobs
