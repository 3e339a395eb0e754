"""`pybinlog check`: the command."""

from __future__ import annotations

import os
from contextlib import ExitStack, closing

import click

from pybinlog.cli.command import command, environment_of
from pybinlog.cli.environment import Environment
from pybinlog.cli.exit_status import ExitStatus
from pybinlog.cli.inputs import Inputs, standard_output
from pybinlog.cli.options.check_options import SECTIONS
from pybinlog.cli.options.server_options import SERVER_REFUSED
from pybinlog.cli.options.spark_options import SPARK_REFUSED, spark_jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from pybinlog.check import Checker, CheckOptions
    from pybinlog.check.replicas import Replica
    from pybinlog.check.report import Report
    from pybinlog.cli.environment import Output
    from pybinlog.jobs.job_threads import Jobs

ABOUT = """\
Check MySQL and MariaDB binary logs: report broken transactions, damage, and missing rows, GTIDs and files. \
Give all logs of a series in order; you may give several series.

The status is 0 if no finding reaches the severity of --fail-on, 1 if one does, and 2 if a log could not be checked."""

EXAMPLES = """\
pybinlog check binlog.000001
pybinlog check --index=/var/lib/mysql/binlog.index
pybinlog check --ignore=E,X001 --fail-on=warning binlog.00*
pybinlog check --format=sarif -o findings.sarif binlog.00*
pybinlog check --write-baseline=known.json binlog.00*
pybinlog check --baseline=known.json binlog.00*
pybinlog check --spark=spark://host:7077 s3://backup/db1/"""


@command(SECTIONS, ABOUT, EXAMPLES, refused=SERVER_REFUSED | SPARK_REFUSED)
def check(ctx: click.Context, /, files: tuple[str, ...], **values: Any) -> ExitStatus:
    environment = environment_of(ctx)
    try:
        return run(Inputs(ctx, files, values), values)
    except MemoryError as error:
        environment.fail(f"{str(error) or 'not enough memory'}.")
    except OSError as error:
        environment.fail(f"the report cannot be written: {error.strerror or error}.")
    return ExitStatus.USAGE


def run(inputs: Inputs, values: dict[str, Any]) -> ExitStatus:
    environment, names = inputs.environment, inputs.names
    output = open_outputs(inputs, values)
    options = check_options(values)
    with ExitStack() as stack:
        advance = stack.enter_context(inputs.progress(elsewhere=not environment.is_terminal)).advance
        jobs: Jobs | None = None
        if values["spark"] is not None:
            jobs = stack.enter_context(spark_jobs(values, "check", environment.warn))
        elif min(values["jobs"], len(names)) > 1 and all(os.path.isfile(name) for name in names):
            from pybinlog.jobs.process_jobs import ProcessJobs

            jobs = stack.enter_context(closing(ProcessJobs(min(values["jobs"], len(names)))))
        if jobs is not None:
            from pybinlog.check.parallel_checker import ParallelChecker

            checker: Checker = ParallelChecker(names, options, jobs, advance)
        else:
            from pybinlog.check import Checker

            checker = Checker(names, options, environment.stdin, advance)
        status = run_checker(environment, output, checker, options, values)
    return status  # noqa: RET504 (the stack may swallow an error, for all that mypy knows)


def open_outputs(inputs: Inputs, values: dict[str, Any]) -> Output:
    """Return the report's output. Raise OutputError if it or the new baseline would overwrite an input or a log."""
    environment, outputs = inputs.environment, inputs.outputs()
    if values["baseline"] is not None:
        outputs.reads([values["baseline"]], "the baseline", "Write the new one to another file, and rename it then")
    output = standard_output(environment, outputs, "Name a file with --output")
    if values["write_baseline"] == "-":
        if environment.answer is None:
            raise click.UsageError("standard output receives the report; give --write-baseline=FILE, or --output=FILE.")
        outputs.writes_to(environment.stdout)
    elif values["write_baseline"] is not None:
        outputs.writes(values["write_baseline"], f"--write-baseline={values['write_baseline']}")
    return output


def run_checker(
    environment: Environment, output: Output, checker: Checker, options: CheckOptions, values: dict[str, Any]
) -> ExitStatus:
    color = environment.answer is None and environment.wants_color(values["color"])
    write_report(checker, options, report_format(environment, values), patient(output.write), color=color)
    if environment.answer is not None:
        environment.answer.finish(ExitStatus.OK)  # the report has the logs that could not be checked
    return conclusion(environment, checker, options, values["write_baseline"])


def write_report(
    checker: Checker, options: CheckOptions, format: str, write: Callable[[bytes], object], *, color: bool
) -> None:
    from pybinlog.check.report import make_report

    report: Report = make_report(
        format, lambda text: write(text.encode("utf-8", "surrogateescape")), options, color=color
    )
    report.begin()
    for result in checker.results():
        report.log(result)
    report.end(checker.totals)


def conclusion(environment: Environment, checker: Checker, options: CheckOptions, baseline: str | None) -> ExitStatus:
    """Return the status; and the baseline, which accepts what was found."""
    totals = checker.totals
    for failure in totals.failures:
        environment.fail(f"{failure}.")
    if baseline is not None:
        from pybinlog.check.baseline import baseline_text
        from pybinlog.cli.output_file import open_whole

        if baseline == "-":
            environment.show(baseline_text(checker.found))
        else:
            with open_whole(baseline) as file:
                file.write(baseline_text(checker.found).encode("utf-8", "surrogateescape"))
                file.commit()
    if totals.failures:
        return ExitStatus.USAGE
    worst = totals.worst()
    if baseline is None and worst is not None and options.fails(worst):
        return ExitStatus.ERROR
    return ExitStatus.OK


def check_options(values: dict[str, Any]) -> CheckOptions:
    """Return the options of the check."""
    from pybinlog.check import CheckOptions, Severity

    fail_on = values["fail_on"]
    baseline = frozenset[tuple[str, str, int]]()
    if values["baseline"] is not None:
        from pybinlog.check.baseline import read_baseline

        baseline = read_baseline(values["baseline"])
    return CheckOptions(
        select=codes("--select", values["select"]),
        ignore=codes("--ignore", values["ignore"]),
        limit=values["limit"],
        fail_on=None if fail_on == "never" else Severity[fail_on.upper()],
        baseline=baseline,
        keep=values["write_baseline"] is not None,
        replicas=replicas_of(values["replica"]) if values["replica"] else (),
    )


def replicas_of(given: tuple[str, ...]) -> tuple[Replica, ...]:
    """Return the servers in comma-separated lists, each once."""
    from pybinlog.check.replicas import Replica

    try:
        return tuple(dict.fromkeys(Replica.of(name) for text in given for name in text.split(",") if name.strip()))
    except ValueError as error:
        raise click.UsageError(f"--replica: {error}.") from None


def codes(option: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the beginnings of codes in comma-separated lists."""
    from pybinlog.check import RULES

    beginnings = [part.strip().upper() for text in given for part in text.split(",") if part.strip()]
    for beginning in beginnings:
        if not any(code.startswith(beginning) for code in RULES):
            raise click.UsageError(f"{option}: no code begins with {beginning!r}; valid codes: {', '.join(RULES)}.")
    return tuple(beginnings)


def report_format(environment: Environment, values: dict[str, Any]) -> str:
    """Return the chosen format, or the one for this place: annotations if GitHub Actions reads them."""
    if values["format"] is not None:
        format: str = values["format"]
        return format
    return "github" if environment.answer is None and environment.environ.get("GITHUB_ACTIONS") == "true" else "text"


def patient(write: Callable[[bytes], object]) -> Callable[[bytes], object]:
    """Return a function that writes as long as the output has a reader; without one, the check still continues."""
    gone = False

    def write_or_not(data: bytes) -> None:
        nonlocal gone
        if not gone:
            try:
                write(data)
            except BrokenPipeError:
                gone = True

    return write_or_not
