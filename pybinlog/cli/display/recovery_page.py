"""RecoveryPage: the plan of a recovery, and its report, as a page for people or as JSON."""

import json
from collections.abc import Iterator
from typing import Any

from pybinlog.recover.plan import Plan
from pybinlog.recover.run import Report
from pybinlog.visible import counted, local_time, visible

SLOW, FAST = 600, 3500
"""Transactions a second on a small machine: with a sync for each event, and with parallel workers."""
WIDTH = 14


def plan_object(plan: Plan, target: str | None) -> dict[str, Any]:
    """Return the plan as JSON has it."""
    contents = plan.contents
    name, position = plan.end_position
    return {
        "target": target,
        "from": {
            "backup": plan.request.origin,
            "log": plan.first.name,
            "position": plan.start,
            "gtids": str(plan.known) if plan.by_gtids else None,
        },
        "end": {
            "what": plan.end,
            "log": name,
            "position": position,
            "gtids": str(plan.at_end) if plan.by_gtids else None,
            "time": None if contents.last is None else contents.last.time,
        },
        "logs": [log.path for log in ([] if plan.part is None else plan.part.logs)],
        "by_gtids": plan.by_gtids,
        "transactions": contents.transactions,
        "bytes": contents.bytes,
        "seconds": list(seconds(contents.transactions)),
        "left_out": [{"gtid": one.gtid, "log": one.log, "position": one.start} for one in contents.omitted],
        "remarks": plan.remarks,
        "problems": [{"problem": one.what, "way_out": one.way_out} for one in plan.problems],
    }


def seconds(transactions: int) -> tuple[int, int]:
    """Return the least and the most seconds that so many transactions are likely to take."""
    return transactions // FAST + 1, transactions // SLOW + 1


def as_json(plan: Plan, target: str | None, report: Report | None = None) -> str:
    """Return the plan, and after a run its report, as JSON."""
    found = plan_object(plan, target) | ({} if report is None else report_object(report))
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def report_object(report: Report) -> dict[str, Any]:
    proof = report.proof
    return {
        "took": round(report.seconds, 1),
        "restarts": report.restarts,
        "events": report.events,
        "numbers": proof.numbers,
        "compared": proof.compared,
        "not_compared": proof.not_compared,
        "faults": proof.faults,
    }


def as_page(lines: Iterator[str]) -> str:
    return "".join(f"{visible(line)}\n" for line in lines)


def report_lines(report: Report) -> Iterator[str]:
    """Yield the end of the page, after a run."""
    proof = report.proof
    yield line(
        "applied",
        f"in {report.seconds:,.1f} s" + (f", the target was away {report.restarts} times" if report.restarts else ""),
    )
    for name, state in report.events.items():
        yield line("event", f"{name}: {state}")
    yield line("proof", proof.numbers)
    if proof.compared:
        yield line("rows", f"the last change is there, of {', '.join(proof.compared)}")
    elif not proof.faults:
        yield line("rows", "not compared: " + ("see below" if proof.not_compared else "the logs have only statements"))
    for table, reason in proof.not_compared.items():
        yield line("not compared", f"{table}: {reason}")
    for fault in proof.faults:
        yield line("FAULT", fault)


def plan_lines(plan: Plan, target: str | None) -> Iterator[str]:
    """Yield the page of a plan."""
    contents, first = plan.contents, plan.first
    logs = [] if plan.part is None else plan.part.logs
    name, position = plan.end_position
    yield line("target", target or "none (--into names it)")
    yield line("backup", plan.request.origin)
    if plan.by_gtids:
        yield line("from", f"the GTIDs after {str(plan.known) or 'none'}, in {first.name}")
    else:
        yield line("from", f"{first.name}, position {plan.start}")
    yield line("to", f"{name}, position {position}")
    yield line("end", plan.end)
    if contents.last is not None:
        time = contents.last.time
        at = "" if time is None else f", {local_time(time, 1_000_000)}"
        yield line("last", f"{contents.last.gtid or 'a transaction'}{at}")
    if logs:
        span = logs[0].path if len(logs) == 1 else f"{logs[0].path} to {logs[-1].path} ({len(logs)})"
        yield line("logs", span)
    size = f"{contents.bytes:,} bytes"
    yield line("transactions", f"{contents.transactions:,} ({size})")
    if contents.transactions:
        least, most = seconds(contents.transactions)
        span = counted(most, "second") if least == most else f"{least:,} to {counted(most, 'second')}"
        yield line("takes", f"{span}, at {SLOW} to {FAST:,} transactions a second")
    for one in contents.omitted:
        yield line("left out", str(one))
    for remark in plan.remarks:
        yield line("note", remark)
    for problem in plan.problems:
        yield line("PROBLEM", str(problem))


def line(title: str, text: str) -> str:
    return f"{title + ':':<{WIDTH}} {text}"
