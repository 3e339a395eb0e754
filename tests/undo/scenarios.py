"""The undone part of a workload, and the facts that must be true afterwards."""

from collections.abc import Callable

from tests.undo.columns import quoted
from tests.undo.refusals import REFUSALS
from tests.undo.sentences import COUNTED, first_named, must_be_listed, must_be_refused
from tests.undo.state import REMOVED, State, changes_between, identities_of, undone
from tests.undo.trial import Identity, Step, Trial, Unequal
from tests.undo.workloads import Table, Transaction

SCENARIOS: dict[str, Callable[[Trial], None]] = {}
FOREIGN = {"tree", "parent", "child", "ward"}
REFERENCES = {"tree": ("up", "tree"), "child": ("of_parent", "parent"), "ward": ("of_parent", "parent")}
"""By table, the column that refers to the id of another."""
WHOLE = {"mysql": ["FULL"], "mariadb": ["FULL", "FULL", "FULL_NODUP"]}
"""The row images from which rows can be made again."""


def scenario(judge: Callable[[Trial], None]) -> Callable[[Trial], None]:
    SCENARIOS[judge.__name__.replace("_", " ")] = judge
    return judge


def prepared(trial: Trial, count: int = 14) -> None:
    """Run transactions; before some of them a session whose row images are not whole changes rows."""
    if trial.random.random() < 0.5:
        trial.run(trial.workload.transactions(3, trial.random.choice(["MINIMAL", "NOBLOB"])))
        trial.session.run("SET binlog_row_image = FULL")
    whole = WHOLE[trial.kind]
    trial.run(
        transaction for _ in range(count) for transaction in trial.workload.transactions(1, trial.random.choice(whole))
    )


def last(trial: Trial) -> list[Step]:
    whole = [step for step in trial.steps if step.transaction.image in WHOLE[trial.kind]]
    return whole[-trial.random.randint(1, len(whole)) :]


def redo(trial: Trial, expected: State, *arguments: str) -> None:
    """Redo must give the expected state, or be refused because of a partial update of JSON."""
    done = trial.pybinlog("redo", *arguments, keep="redo")
    is_partial = any("PARTIAL_JSON" in line for step in trial.steps for line in step.transaction.settings)
    if is_partial and done.status and "only what changed in a JSON document" in done.err:
        return
    trial.must_apply(done, expected, "redo")


@scenario
def undo_of_the_last(trial: Trial) -> None:
    """Undo, then redo; or undo, then the undo of that undo."""
    prepared(trial)
    steps = last(trial)
    logs, asked = trial.logs(), trial.gtids(steps)
    _, before = trial.session.last_gtid()
    done = trial.pybinlog("undo", asked, str(logs), keep="undo")
    trial.must_apply(done, steps[0].before, "undo")
    if trial.random.random() < 0.5:
        redo(trial, steps[-1].after, asked, str(logs))
        return
    _, after = trial.session.last_gtid()
    if after > before:
        both = trial.logs(name="logs-and-undo")
        done = trial.pybinlog("undo", trial.gtids_between(before + 1, after), str(both), keep="undo-of-undo")
        trial.must_apply(done, steps[-1].after, "undo of undo")


@scenario
def undo_as_binlog_statements(trial: Trial) -> None:
    prepared(trial)
    steps = last(trial)
    logs, asked = trial.logs(), trial.gtids(steps)
    done = trial.pybinlog("undo", "--format=binlog", asked, str(logs), keep="undo")
    trial.must_apply(done, steps[0].before, "undo")
    redo(trial, steps[-1].after, asked, str(logs))


@scenario
def undo_of_one_table(trial: Trial) -> None:
    prepared(trial)
    steps = last(trial)
    table = trial.random.choice(sorted(set(trial.tables) - FOREIGN))
    before, after = steps[0].before, steps[-1].after
    asked = [trial.gtids(steps), f"--table=u.{quoted(table)}", str(trial.logs())]
    expected = State(after.rows | {table: before.rows[table]})
    trial.must_apply(trial.pybinlog("undo", *asked, keep="undo"), expected, "undo")
    redo(trial, after, *asked)


@scenario
def undo_in_the_middle(trial: Trial) -> None:
    """A transaction of whose rows no later one touched any is undone; another one is refused."""
    prepared(trial)
    whole = [step for step in trial.steps if step.transaction.image in WHOLE[trial.kind] and step.last >= step.first]
    if trial.random.random() < 0.3:
        trial.run(trial.workload.transactions(2, trial.random.choice(["MINIMAL", "NOBLOB"])))
    if not whole:
        return
    step = trial.random.choice(whole)
    later = touched_after(trial, step)
    now = trial.steps[-1].after
    expected, met = undone(now, step.before, step.after, trial.tables)
    asked = [trial.gtids([step]), str(trial.logs())]
    done = trial.pybinlog("undo", *asked, keep="undo")
    conflicts = {table for table, _, _ in step.expected() & later}
    if met or (done.status and conflicts):  # a value may have changed, and changed back
        must_be_refused(done.status, done.out, done.err)
        must_be_listed(done.err, set(met), conflicts)
        trial.must_be(now, "after a refusal")
        return
    if has_orphans(trial, expected):
        if done.status or trial.apply(done.out).status == 0:
            raise Unequal(f"a row that others refer to was taken back, or refused: {done.err[:1000]}")
        trial.must_be(now, "after a text that ended early")
        return
    trial.must_apply(done, expected, "undo")
    redo(trial, now, *asked)


def has_orphans(trial: Trial, state: State) -> bool:
    """Return True if rows of a state refer to rows that it does not have."""
    for table, (column, parent) in REFERENCES.items():
        place, key = (trial.tables[name].columns.index(of) for name, of in ((table, column), (parent, "id")))
        there = {None, *(row[key] for row in state.rows[parent])}
        if any(row[place] not in there for row in state.rows[table]):
            return True
    return False


def touched_after(trial: Trial, step: Step) -> set[Identity]:
    return {identity for other in later_steps(trial, step) for identity in other.touched}


def later_steps(trial: Trial, step: Step) -> list[Step]:
    return trial.steps[trial.steps.index(step) + 1 :]


@scenario
def a_row_that_moved_on(trial: Trial) -> None:
    """A row changes between the making of a text and its run: the text ends there and leaves nothing behind."""
    prepared(trial)
    steps = last(trial)
    table = trial.random.choice(trial.workload.tables)
    trial.change(f"INSERT INTO {table.name} (id) VALUES (50), (51)")
    step = trial.change(f"UPDATE {table.name} SET id = id + 10 WHERE id >= 50 ORDER BY id DESC")
    if not step.touched:
        return
    done = trial.pybinlog("undo", trial.gtids([*steps, step]), str(trial.logs()), keep="undo")
    if done.status:
        raise Unequal(f"refused: {done.err[:1000]}")
    moved = trial.random.choice(["DELETE FROM {}", "UPDATE {} SET id = 70"]).format(table.name) + " WHERE id = 60"
    trial.change(moved)
    now = trial.state
    applied = trial.apply(done.out)
    if applied.status == 0:
        raise Unequal(f"the text went past a row that had moved on: {moved}")
    trial.must_be(now, "after a text that ended early")


@scenario
def images_that_are_not_whole(trial: Trial) -> None:
    prepared(trial, 5)
    image = trial.random.choice(["MINIMAL", "NOBLOB"])
    trial.run([Transaction(("BEGIN", "INSERT IGNORE INTO parent VALUES (70, 'a')", "COMMIT"), "planted")])
    trial.run([Transaction(("UPDATE parent SET name = 'b' WHERE id = 70",), "planted", "MINIMAL")])
    trial.run(trial.workload.transactions(4, image))
    trial.session.run("SET binlog_row_image = FULL")
    trial.run(trial.workload.transactions(2))
    place = next(n for n, step in enumerate(trial.steps) if step.transaction.image == "MINIMAL")
    done = trial.pybinlog("undo", trial.gtids(trial.steps[place:]), str(trial.logs()), keep="undo")
    must_be_refused(done.status, done.out, done.err)


def planted(trial: Trial) -> tuple[Table, Step]:
    """Run a transaction that inserts the rows 40 to 43 of a table, updates 44 and 45, and deletes 46 and 47."""
    prepared(trial, 6)
    table = trial.random.choice(trial.workload.tables)
    trial.change(f"DELETE FROM {table.name} WHERE id >= 40")
    trial.change(f"INSERT INTO {table.name} (id) VALUES (44), (45), (46), (47)")
    step = trial.change(
        f"INSERT INTO {table.name} (id) VALUES (40), (41), (42), (43)",
        f"{assignment(trial, table, 0)} IN (44, 45)",
        f"DELETE FROM {table.name} WHERE id IN (46, 47)",
    )
    return table, step


@scenario
def undo_of_some_rows(trial: Trial) -> None:
    """A condition keeps some rows of a transaction."""
    table, step = planted(trial)
    some = trial.random.sample(range(40, 48), trial.random.randint(1, 7))
    where = f"--where=id IN ({', '.join(map(str, some))})"
    asked = [trial.gtids([step]), f"--table=u.{table.name}", where, str(trial.logs())]
    expected, _ = undone(trial.steps[-1].after, step.before, step.after, trial.tables, {str(id) for id in some})
    trial.must_apply(trial.pybinlog("undo", *asked, keep="undo"), expected, "undo")
    redo(trial, trial.steps[-1].after, *asked)


@scenario
def planted_conflicts(trial: Trial) -> None:
    """Some rows of a transaction change again: the undo is refused with their number, or leaves them as they are."""
    table, step = planted(trial)
    trial.run(trial.workload.transactions(2))
    plants = [
        f"{assignment(trial, table, -1)} = 40",
        f"DELETE FROM {table.name} WHERE id = 41",
        f"DELETE FROM {table.name} WHERE id = 44",
    ]
    plants.append(f"INSERT INTO {table.name} (id) VALUES (46)")
    for plant in trial.random.sample(plants, trial.random.randint(1, len(plants))):
        trial.change(plant)
    trial.run(trial.workload.transactions(2))
    judge_conflicts(trial, step)


def assignment(trial: Trial, table: Table, place: int) -> str:
    column = table.columns[place]
    return f"UPDATE {table.name} SET {column.name} = {column.literal(trial.random)} WHERE id"


def judge_conflicts(trial: Trial, step: Step) -> None:
    later, now = touched_after(trial, step), trial.steps[-1].after
    (table, change), *more = changes_between(step.before, step.after).items()
    assert not more
    definition = trial.tables[table]
    place = definition.columns.index("id")
    rows = [*change.removed.elements(), *change.added.elements()]
    ids = {row[place] for row in rows}
    changed = set()
    for row in rows:
        found = identities_of(row, definition, REMOVED)
        if any((table, key, of) in later for key, of in found if key != REMOVED or row in change.added):
            changed.add(row[place])
    expected, met = undone(now, step.before, step.after, trial.tables)
    surely = {row[place] for row in met.get(table, [])}
    asked = [trial.gtids([step]), str(trial.logs())]
    done = trial.pybinlog("undo", *asked, keep="undo")
    if not changed or (not surely and not done.status):
        trial.must_apply(done, expected, "undo")
        return
    must_be_refused(done.status, done.out, done.err)
    must_be_listed(done.err, {table})
    (count, of), *_ = COUNTED.findall(done.err)
    if not max(1, len(surely)) <= int(count) <= len(changed) or int(of) != len(ids):
        raise Unequal(f"{len(surely)} to {len(changed)} of {len(ids)} rows changed again, not: {done.err[:1000]}")
    number = first_named(done.err)
    if not any(one.first <= number <= one.last for one in later_steps(trial, step) if one.touched & step.expected()):
        raise Unequal(f"the first is none that touched its rows: {done.err[:1000]}")
    if int(count) not in (len(surely), len(changed)):
        return  # which ones it means is not known here
    left = ids - (surely if int(count) == len(surely) else changed)
    done = trial.pybinlog("undo", "--skip-changed", *asked, keep="undo-the-rest")
    if done.out or left:
        expected, _ = undone(now, step.before, step.after, trial.tables, left)
        trial.must_apply(done, expected, "undo of the rest")


@scenario
def refusals(trial: Trial) -> None:
    prepared(trial, 4)
    refusal = trial.random.choice([one for one in REFUSALS if trial.kind in one.kinds])
    for statement in refusal.setup:
        trial.session.run(statement)
    _, first = trial.session.last_gtid()
    for statement in refusal.statements:
        trial.session.run(statement)
    _, last = trial.session.last_gtid()
    for statement in refusal.later:
        trial.session.run(statement)
    asked = [trial.gtids_between(first + 1, last), str(trial.logs())]
    for statement in refusal.cleanup:
        trial.session.run(statement)
        trial.is_remote = False  # the server's log has that statement, too
    done = trial.pybinlog("undo", *asked, keep="undo")
    if not refusal.is_refused:
        if done.status or refusal.says not in done.out.decode():
            raise Unequal(f"{refusal.name}: the head does not say {refusal.says}")
        return
    try:
        must_be_refused(done.status, done.out, done.err)
        if refusal.says not in done.err:
            raise Unequal(f"the sentence does not say {refusal.says}: {done.err[:500]}")
    except Unequal as unequal:
        raise Unequal(f"{refusal.name}: {unequal}") from None
    if refusal.options and (done := trial.pybinlog("undo", *refusal.options, *asked, keep="undo-allowed")).status:
        raise Unequal(f"{refusal.name}: refused with {refusal.options}: {done.err[:500]}")


@scenario
def a_transaction_that_the_range_cuts(trial: Trial) -> None:
    trial.change("INSERT IGNORE INTO parent VALUES (80, 'a')", "UPDATE parent SET name = 'b' WHERE id = 80")
    log = min(trial.logs().iterdir())
    events = trial.session.select(f"SHOW BINLOG EVENTS IN '{log.name}'")
    rows = [str(position) for _, position, type, *_ in events if "rows" in str(type).lower() and "_rows" in str(type)]
    edge = trial.random.choice([f"--start-position={rows[-1]}", f"--stop-position={rows[-1]}"])
    done = trial.pybinlog("undo", edge, str(log), keep="undo")
    must_be_refused(done.status, done.out, done.err)
