"""The rules by which a target is refused: what it has, and settings with which it would drop or change what it gets."""

from pybinlog.gtid_intervals import GtidSet
from pybinlog.log.executed import Executed, set_text
from pybinlog.recover.journal import Journal
from pybinlog.recover.plan import Plan
from pybinlog.recover.scheduled_events import ENABLED
from pybinlog.recover.settings import FLUSH
from pybinlog.recover.target import CHANNEL, SUPPORTED, TargetState, version_numbers

MANY = 10_000
SLOW = {"replica_parallel_type": ("LOGICAL_CLOCK",), "slave_parallel_mode": ("OPTIMISTIC", "AGGRESSIVE")}
"""Settings that keep parallel workers from working in parallel, with their good values."""
NOT_USED = "NOT_USED"
"""How MySQL names the bits of sql_mode that it dropped."""
FORBIDDEN = {
    ("replica_skip_errors", "slave_skip_errors"): ("OFF", "it is set when the server starts; start it without"),
    ("replica_exec_mode", "slave_exec_mode"): ("STRICT", "SET GLOBAL {} = STRICT"),
    ("sql_replica_skip_counter", "sql_slave_skip_counter"): ("0", "SET GLOBAL {} = 0"),
    ("slave_run_triggers_for_rbr",): ("NO", "SET GLOBAL {} = NO"),
    ("offline_mode",): ("OFF", "SET GLOBAL {} = OFF"),
}
"""Settings by their names, new and old: the value with which nothing is lost, and how to set it."""


def target_problems(plan: Plan, state: TargetState, journal: Journal | None, everything: Executed | None) -> None:
    """Refuse a target that would not come to the planned state. `everything` are the GTIDs of all the logs."""
    if state.is_mariadb != plan.is_mariadb:
        kind = "MariaDB" if plan.is_mariadb else "MySQL"
        plan.refuse(
            f"the logs are of {kind}, and {state.address} is {state.flavour} {state.version}",
            f"Recover into a server of {kind}",
        )
        return
    if state.numbers < SUPPORTED[state.flavour]:
        least = ".".join(map(str, SUPPORTED[state.flavour]))
        plan.refuse(f"the target is {state.flavour} {state.version}", f"Use {state.flavour} {least} or later")
        return
    if state.numbers[:2] < version_numbers(plan.archive.version)[:2]:
        plan.remarks.append(
            f"the logs are of version {plan.archive.version} and the target has {state.version}: it stops at the first "
            "thing that it does not know"
        )
    settings(plan, state)
    replicates(plan, state, journal)
    if plan.request.by_client:
        client_problems(plan, state, journal)
    if plan.request.rewrite is not None:
        renamed_database(plan, state, *plan.request.rewrite)
    elif plan.is_mariadb:
        mariadb_state(plan, state, journal, everything or Executed())
    elif plan.by_gtids:
        mysql_state(plan, state, journal, everything or Executed())
    else:
        anonymous_state(plan, state)
    needs(plan, state, journal)
    if not plan.contents.transactions and not plan.problems:
        plan.remarks.append("the target has executed everything up to the end already: nothing is left to be applied")


def settings(plan: Plan, state: TargetState) -> None:
    for names, (right, how) in FORBIDDEN.items():
        for name in names:
            value = state.variable(name)
            if value and value.upper() != right:
                plan.refuse(f"the target has {name}={value}, so it may skip or change transactions", how.format(name))
                break
    if state.filters:
        plan.refuse(
            f"the target has replication filters, which drop transactions: {', '.join(state.filters)}",
            "Remove them for the run (MySQL: CHANGE REPLICATION FILTER; MariaDB: SET GLOBAL replicate_... = '')",
        )
    if state.variable(FLUSH) == "0" and not plan.request.by_client:
        plan.remarks.append(
            f"the target has {FLUSH}=0: killed, it would lose transactions that it says it has. It has 1 during the run"
        )
    sync = state.variable("sync_relay_log")
    if sync.isdigit() and 0 < int(sync) < 100:
        plan.remarks.append(
            f"the target has sync_relay_log={sync}, which makes the run several times slower; SET GLOBAL "
            "sync_relay_log=10000 is the default"
        )
    if plan.request.by_client:
        return
    durable = state.variable("sync_binlog") == "1" and state.variable(FLUSH) == "1"
    if durable and plan.contents.transactions > MANY:
        plan.remarks.append(
            f"the target waits for its disk at each of {plan.contents.transactions:,} transactions (sync_binlog=1, "
            f"{FLUSH}=1); --fast lets it not wait, and says what that costs"
        )
    for name, good in SLOW.items():
        if (value := state.variable(name)) and value.upper() not in good:
            plan.remarks.append(f"the target has {name}={value}: its workers wait for each other more than they must")
    for name in ("log_replica_updates", "log_slave_updates"):
        if state.variable("log_bin") == "ON" and state.variable(name) == "OFF":
            plan.remarks.append(
                f"the target's own logs will not have what is recovered: it was started with {name}=OFF"
            )
            break


def replicates(plan: Plan, state: TargetState, journal: Journal | None) -> None:
    """Refuse a target that is a replica already."""
    for other in state.others:
        plan.refuse(f"the target is a replica: {other}", "Stop it, and RESET REPLICA ALL (MariaDB: RESET SLAVE ALL)")
    if state.channel is not None and journal is None:
        reset = f"RESET SLAVE '{CHANNEL}' ALL" if state.is_mariadb else f"RESET REPLICA ALL FOR CHANNEL '{CHANNEL}'"
        stop = f"STOP SLAVE '{CHANNEL}'" if state.is_mariadb else f"STOP REPLICA FOR CHANNEL '{CHANNEL}'"
        plan.refuse(
            f"the target has the channel {CHANNEL} of another run, whose notes are not on this machine",
            f"Go on with that run on the machine that began it, or give it up on the target: {stop}; {reset}",
        )


def renamed_database(plan: Plan, state: TargetState, old: str, new: str) -> None:
    """Judge --rewrite-db: the target has the database `new`, and the logs do not."""
    contents = plan.contents
    databases = {name for name, _ in contents.redefined} | {label.partition(".")[0] for label in contents.last_changes}
    if new not in state.databases:
        plan.refuse(f"the target does not have the database {new}", f"CREATE DATABASE, and load {old} of the backup")
    if new in databases:
        plan.refuse(f"the logs change the database {new} themselves", "Use another name")
    if (old.lower(), None) in contents.redefined:
        plan.refuse(f"the logs create, alter or drop the database {old} itself", "End the recovery before it")
    plan.remarks.append(f"only {old} is applied, as {new}, and the target's own logs get nothing of it")


def common(some: GtidSet, others: GtidSet) -> GtidSet:
    return some.minus(some.minus(others))


def mysql_state(plan: Plan, state: TargetState, journal: Journal | None, everything: Executed) -> None:
    """Judge gtid_executed of the target."""
    mode = state.variable("gtid_mode")
    if mode == "OFF":
        plan.refuse(
            "the logs have GTIDs, and the target has gtid_mode=OFF",
            "Set enforce_gtid_consistency=ON and gtid_mode=ON on the target",
        )
    executed = state.executed.gtids
    base = plan.known.gtids if plan.base is None else plan.base.gtids
    if missing := base.minus(executed):
        plan.refuse(
            f"the target lacks transactions of the backup: {set_text(missing)}",
            f"Load the backup; if its data are there, tell the target: SET GLOBAL gtid_purged = '+{set_text(missing)}'",
        )
    there = everything.gtids
    if ahead := common(executed, there.minus(plan.at_end.gtids)):
        plan.refuse(
            f"the target has executed transactions after the end: {set_text(ahead)}",
            "Load the backup into the target again, or choose a later end",
        )
    unknown = executed.minus(there).minus(base)
    later = GtidSet({source: numbers for source, numbers in unknown.items() if source in there})
    if later:
        plan.refuse(
            f"the target has executed {set_text(later)} of the logs' own servers, and no log has them",
            "Load the backup into the target again (RESET BINARY LOGS AND GTIDS before), or give the later logs",
        )
    if own := unknown.minus(later):
        plan.remarks.append(f"the target has transactions that the logs lack: {set_text(own)}")
    if journal is None and plan.base is not None and (already := common(executed.minus(base), plan.at_end.gtids)):
        plan.refuse(
            f"the target has executed transactions after the backup: {set_text(already)}",
            "Load the backup again; if they are of an earlier recovery, --from=server goes on after them",
        )


def anonymous_state(plan: Plan, state: TargetState) -> None:
    """Judge a target for logs without GTIDs."""
    if plan.request.by_client:
        pass
    elif state.variable("relay_log_recovery") != "ON":
        plan.refuse(
            "the logs have no GTIDs, and the target has relay_log_recovery=OFF: if it is killed during the run, it may "
            "apply transactions twice",
            "Start the target with relay_log_recovery=ON",
        )
    if state.variable("gtid_mode") == "ON":
        how = "" if plan.request.by_client else " (ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS=LOCAL)"
        plan.remarks.append(
            "the logs have no GTIDs, and the target has gtid_mode=ON: it gives each transaction a GTID of its own" + how
        )
    plan.remarks.append("without GTIDs, nothing tells whether the target has the backup, and no more than that")


def mariadb_state(plan: Plan, state: TargetState, journal: Journal | None, everything: Executed) -> None:
    """Judge gtid_slave_pos of the target, and its own logs in strict mode."""
    base = plan.known if plan.base is None else plan.base
    here, begin, known = state.executed.positions, base.positions, everything.positions
    beyond = [
        f"{domain}-{server}-{number}"
        for domain, (server, number) in here.items()
        if domain in known and number > begin.get(domain, (0, 0))[1]
    ]
    if journal is None and beyond:
        plan.refuse(
            f"the backup ends at {str(base) or 'the beginning'}, and the target has executed transactions after it, "
            f"up to {', '.join(beyond)}",
            "Load the backup again; if they are of an earlier recovery, --from=server goes on after them",
        )
    elif journal is None and begin != here:
        plan.refuse(
            f"the backup ends at {str(base) or 'the beginning'}, and the target has gtid_slave_pos='{state.executed}'",
            f"Load the backup; if its data are there, and nothing else: SET GLOBAL gtid_slave_pos = '{base}'",
        )
    ends = plan.at_end.positions
    for domain, (server, number) in here.items():
        if number > ends.get(domain, (0, 0))[1] and domain in known:
            plan.refuse(
                f"the target has executed {domain}-{server}-{number}, which is after the end",
                "Load the backup into the target again, or choose a later end",
            )
    if state.variable("gtid_strict_mode") != "ON" or state.variable("log_slave_updates") != "ON":
        return
    logged = Executed.of_state(state.variable("gtid_binlog_pos")).positions
    for domain, (server, number) in logged.items():
        if journal is None and number > here.get(domain, (0, 0))[1] and domain in ends:
            plan.refuse(
                f"the target's own logs have {domain}-{server}-{number}, and with gtid_strict_mode=ON it refuses "
                "lower numbers (error 1950)",
                "RESET MASTER on the target, then SET GLOBAL gtid_slave_pos again; or SET GLOBAL gtid_strict_mode=OFF",
            )


def sql_modes(plan: Plan, state: TargetState) -> None:
    """Judge the sql_mode of the logs' statements: the target may lack some of its bits, or have dropped them."""
    for bit, transaction in sorted(plan.contents.sql_modes.items()):
        if not state.sql_modes:
            continue
        if bit >= len(state.sql_modes):
            plan.refuse(
                f"{transaction} was run in an sql_mode that the target does not know (bit {bit}; its last one is "
                f"{state.sql_modes[-1]})",
                f"Recover into {state.flavour} {plan.archive.version} or later, or end the recovery before it",
            )
        elif state.sql_modes[bit].startswith(NOT_USED):
            plan.remarks.append(
                f"{transaction} was run in an sql_mode that later versions dropped (bit {bit}): the target ignores it"
            )


def needs(plan: Plan, state: TargetState, journal: Journal | None) -> None:
    """Judge what the statements of the logs need of the target."""
    contents = plan.contents
    for engine, transaction in contents.engines.items():
        if engine not in state.engines:
            plan.refuse(
                f"{transaction} makes a table of the engine {engine}, which the target does not have",
                f"INSTALL the plugin of {engine} on the target",
            )
    for plugin, transaction in contents.plugins.items():
        if plugin not in state.plugins:
            plan.refuse(
                f"{transaction} makes a user that logs in by the plugin {plugin}, which the target does not have",
                f"INSTALL the plugin {plugin} on the target, or end the recovery before it",
            )
    sql_modes(plan, state)
    if contents.libraries:
        names = ", ".join(f"{name} ({one})" for name, one in contents.libraries.items())
        plan.remarks.append(f"statements load libraries, which must be in the target's plugin_dir: {names}")
    for xid, transaction in contents.decided.items():
        if xid not in state.prepared:
            plan.refuse(
                f"{transaction} decides the XA transaction {xid}, which was prepared before the backup's end, and is "
                "not prepared on the target",
                "Use an earlier backup: before the XA PREPARE",
            )
    changed = [*contents.last_changes, *(name for _, names in contents.rows_of.values() for name in names)]
    fragile = {
        **{label: state.fragile[label] for label in changed if label in state.fragile},
        **{f"a table that {one} makes": name for name, one in contents.engines.items() if name in state.unsafe_engines},
    }
    if fragile:
        plan.fragile = ", ".join(f"{label} ({engine})" for label, engine in fragile.items())
        plan.remarks.append(
            f"the logs change tables without transactions: {plan.fragile}. If the target is restarted during the run, "
            "load the backup again"
        )
    for xid, transaction in contents.preparations.items():
        if xid in state.prepared and journal is None:
            plan.refuse(
                f"{transaction} prepares the XA transaction {xid}, and the target has a prepared one of this name",
                "Decide it on the target: XA RECOVER lists it, XA ROLLBACK or XA COMMIT ends it",
            )
    lacking = sorted(set(contents.definers) - state.users)
    if lacking:
        plan.remarks.append(
            f"the target may lack the users that define events, triggers, views or routines: {', '.join(lacking)}"
        )
    enabled = [".".join(key) for key, event in state.events.items() if event.status == ENABLED]
    if enabled:
        plan.remarks.append(f"these events of the target are disabled for the run: {', '.join(sorted(enabled))}")


# ---- a plan that a client is to apply: what one session cannot do, or promise

AGAIN = "load the backup again if it is interrupted"


def resumes(plan: Plan, state: TargetState) -> bool:
    """Return True if the target tells after an interruption what it has applied."""
    if not plan.by_gtids or plan.request.rewrite is not None:
        return False
    return not plan.is_mariadb or state.variable("log_bin") == "ON"


def client_problems(plan: Plan, state: TargetState, journal: Journal | None) -> None:
    """Judge a plan that a client is to apply."""
    contents = plan.contents
    detaches = state.variable("xa_detach_on_prepare") == "ON"
    if contents.loads is not None:
        plan.refuse(
            f"{contents.loads} loads a file (LOAD DATA), which the client does not send",
            "Recover without --client, or end the recovery before it",
        )
    if contents.makes_temporary and contents.preparations and not detaches:
        plan.refuse(
            "the logs have temporary tables and XA PREPARE: the session ends after it, and so do the tables",
            "Recover without --client",
        )
    enabled = [".".join(key) for key, status in contents.scheduled.states.items() if status == ENABLED]
    enabled = [name for name in enabled if tuple(name.split(".", 1)) in contents.scheduled.changed]
    if enabled and state.variable("event_scheduler") == "ON":
        plan.refuse(
            f"the target has event_scheduler=ON, and would run events while the logs are applied: {', '.join(enabled)}",
            "SET GLOBAL event_scheduler = OFF on the target for the run",
        )
    if not resumes(plan, state):
        reason = (
            "--rewrite-db"
            if plan.request.rewrite is not None
            else "log_bin=OFF"
            if plan.by_gtids
            else "logs without GTIDs"
        )
        plan.remarks.append(f"with {reason}, the target does not tell how far a run has come: {AGAIN}")
    elif contents.makes_temporary:
        plan.remarks.append(f"the logs make temporary tables, which end with the session of the run: {AGAIN}")
    if plan.is_mariadb and plan.by_gtids and plan.request.rewrite is None and journal is None:
        own_logs(plan, state)


def own_logs(plan: Plan, state: TargetState) -> None:
    """Refuse a MariaDB whose own logs have GTIDs of the logs' servers: they tell how far a run has come."""
    logged = Executed.of_state(state.variable("gtid_binlog_state")).gtids
    if both := plan.planned.minus(plan.planned.minus(logged)):
        plan.refuse(
            f"the target's own logs have {set_text(both)}, which the logs have, too",
            "RESET MASTER on the target, then SET GLOBAL gtid_slave_pos again",
        )
