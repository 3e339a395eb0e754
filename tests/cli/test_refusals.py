"""Options that do not go together, and invalid values: one sentence refuses each, before anything is done."""

import os
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import real
from tests.corpus import scenarios

BASIC = next(s for s in scenarios() if s.name == "mysql-9.7/row-basic").logs[0]
OPTION_FILES = {
    "server.cnf": "user=me\npassword=secret\nport=3307\ncompress\nhost=db\nssl-verify-server-cert\nother=1\n",
    "bare.cnf": "host\npassword\nssl-verify-server-cert=0\nget-server-public-key=0\n",
    "port.cnf": "port=x\n",
    "ciphers.cnf": "tls-ciphersuites=X\n",
    "fips.cnf": "ssl-fips-mode\n",
    "fips-off.cnf": "ssl-fips-mode=off\nloose-tls-ciphersuites=X\nuser=you\n",
}
WHOLE_LOGS = "it copies whole logs as they are."
AS_THEY_HAPPEN = "rows come as they happen."
STDIN_ONCE = "standard input, which can be read only once"
OF_FILES = "it waits for a file of this machine."
REFUSED = [
    # connections
    (
        "dump -R --defaults-file=port.cnf a.000001",
        "--port, from port.cnf: 'x' is not a number; give one such as 1000 or 64K. --no-defaults reads none; "
        "--print-defaults shows what they say.",
    ),
    (
        "check -R --defaults-file=ciphers.cnf a.000001",
        "ciphers.cnf asks for tls-ciphersuites, which is not supported by Python's TLS library. Set Ciphersuites in a "
        "configuration of OpenSSL (OPENSSL_CONF), or give --tls-version=TLSv1.2 with --ssl-cipher.",
    ),
    (
        "dump -R --defaults-file=fips.cnf a.000001",
        "fips.cnf asks for ssl-fips-mode, which is not possible: whether there is FIPS mode, OpenSSL's configuration "
        "says; leave it out.",
    ),
    (
        "dump -R --no-defaults --default-auth=ldap a.000001",
        "--default-auth: pybinlog does not have the plugin ldap (Kerberos, LDAP, OCI and WebAuthn are not possible); "
        "it has caching_sha2_password, sha256_password, mysql_native_password, client_ed25519, mysql_clear_password, "
        "dialog.",
    ),
    (
        "dump -R --no-defaults --tls-version=TLSv1.2,TLSv1 a.000001",
        "--tls-version: 'TLSv1' is not one of TLSv1.2, TLSv1.3.",
    ),
    (
        "dump -R --no-defaults --compression-algorithms=zlib,lz4 a.000001",
        "--compression-algorithms: 'lz4' is not one of uncompressed, zlib, zstd.",
    ),
    ("dump -R --no-defaults --ssl-crl=x a.000001", "--ssl-crl requires --ssl-ca or --ssl-mode=VERIFY_CA."),
    (
        "dump -R --no-defaults --ssl-mode=DISABLED --ssl-ca=x --ssl-crlpath=x a.000001",
        "--ssl-crlpath requires --ssl-ca or --ssl-mode=VERIFY_CA.",
    ),
    (
        "dump -R --no-defaults --ssl-mode=verify_identity --tls-sni-servername=x a.000001",
        "--tls-sni-servername cannot be used with --ssl-mode=VERIFY_IDENTITY: Python's TLS library looks for the name "
        "that it sends in the certificate; give that name as --host, or --ssl-mode=VERIFY_CA.",
    ),
    # logs of servers
    ("dump --raw a.000001", "--raw requires --read-from-remote-server (-R)."),
    ("dump -p a.000001", "--password requires --read-from-remote-server (-R)."),
    ("check -h - a.000001", "--host requires --read-from-remote-server (-R)."),
    ("check --user=me a.000001", "--user requires --read-from-remote-server (-R)."),
    ("dump -R --no-defaults --raw --hexdump a.000001", f"--raw cannot be used with --hexdump: {WHOLE_LOGS}"),
    ("dump -R --no-defaults --raw -j4 a.000001", f"--raw cannot be used with --start-position: {WHOLE_LOGS}"),
    (
        "dump --read-from-remote-source=BINLOG-DUMP-GTIDS --no-defaults --raw a.000001",
        f"--raw cannot be used with BINLOG-DUMP-GTIDS: {WHOLE_LOGS}",
    ),
    (
        "dump -R --no-defaults --raw --result-file=- a.000001",
        "--raw cannot be used with --result-file=-: it is what the files' names begin with, such as copies/.",
    ),
    (
        "dump --no-defaults --raw mysql://u@127.0.0.1:1/a.000001 a.000002",
        "--raw cannot be used with a.000002, which is a file: it copies a server's logs.",
    ),
    (
        "dump --read-from-remote-source=BINLOG-DUMP-GTIDS --exclude-gtids=0-1-3 --no-defaults a.000001",
        "BINLOG-DUMP-GTIDS takes the GTIDs of MySQL; for MariaDB, give -R with --exclude-gtids.",
    ),
    (
        "dump --read-from-remote-master=BINLOG-DUMP-GTIDS --include-gtids=0-1-3 --no-defaults a.000001",
        "--include-gtids cannot be used with BINLOG-DUMP-GTIDS: use --read-from-remote-server (-R).",
    ),
    (
        "dump -R --no-defaults -j4294967296 a.000001",
        "--start-position: a server sends logs from positions up to 4294967295; "
        "--read-from-remote-source=BINLOG-DUMP-GTIDS has no such limit.",
    ),
    ("dump -R --no-defaults -", "standard input cannot be read together with a live server."),
    (
        "dump -R --no-defaults -t a.000001 a.000002",
        "--to-last-log cannot be used with several logs: it continues from one; name the first.",
    ),
    (
        "dump -R --no-defaults --stop-never a.000001 a.000002",
        "--stop-never cannot be used with several logs: it continues from one; name the first.",
    ),
    (
        "check -R --no-defaults --index=logs.index a.000001",
        "--index cannot be used with a live server: name the first log, with --to-last-log (-t).",
    ),
    (
        "check -R --no-defaults",
        "no log is given; name one or more as the server does, such as binlog.000007. pybinlog -R without a log lists "
        "them.",
    ),
    (
        "export --view=rows --schema=mysql://u@127.0.0.1:1/rest --no-defaults -o x a.000001",
        "--schema=mysql://u@127.0.0.1:1/rest: the URL of a server ends after its host and port; leave out 'rest'.",
    ),
    (
        "export --view=rows --schema=mysql://u@127.0.0.1:1 --schema=b --no-defaults -o x a.000001",
        "--schema=mysql://u@127.0.0.1:1 cannot be used with other --schema: one server has all tables.",
    ),
    # dump
    (
        "dump --whole-transactions -j0-1-3 a.000001",
        "--whole-transactions cannot be used with GTIDs as --start-position: they are the ends of whole transactions.",
    ),
    (
        "dump --whole-transactions -j5 -",
        "--whole-transactions cannot be used with standard input: it reads a log twice; name a file.",
    ),
    (
        "dump --follow --index=logs.index a.000001",
        "--follow cannot be used with other logs than the last of one --index: to begin with another log, name it "
        "without --index.",
    ),
    (
        "dump --follow --index=logs.index --index=logs.index",
        "--follow cannot be used with other logs than the last of one --index: to begin with another log, name it "
        "without --index.",
    ),
    (
        "dump --follow s3://a/b",
        "--follow cannot be used with s3://a/b, which is a URL: it waits for files of this machine.",
    ),
    (
        "dump --follow --result-file=a.000003 a.000002",
        "--follow cannot be used with --result-file=a.000003: it may come to a log of that name.",
    ),
    # filters
    ("rows --database= a.000001", "--database needs a name."),
    ("rows --ignore-table=, a.000001", "--ignore-table needs a name."),
    ("rows --table=a.b.c a.000001", "--table: 'a.b.c' is not a table; write table or database.table."),
    ("rows --event-type=, a.000001", "--event-type needs a type, such as Query."),
    ("rows --event-type=Qery a.000001", "--event-type: 'Qery' is not an event type; did you mean Query?"),
    ("rows --operation=insert,foo a.000001", "--operation: 'foo' is not one of insert, update, delete, ddl."),
    ("rows --where=( a.000001", "--where: the condition ends where something more is needed."),
    ("export --where=a=1 -o x a.000001", "--where requires --view=transactions or --view=rows or --view=table."),
    # rows as they happen
    ("rows --follow -", f"--follow cannot be used with -: {OF_FILES}"),
    ("rows --follow s3://x/y", f"--follow cannot be used with s3://x/y: {OF_FILES}"),
    ("rows --follow --sort=timestamp a.000001", f"--sort cannot be used with --follow: {AS_THEY_HAPPEN}"),
    ("rows --follow --top=3 a.000001", f"--top cannot be used with --follow: {AS_THEY_HAPPEN}"),
    (
        "rows --follow --start-position=4 a.000001",
        "--start-position cannot be used with --follow: begin with a log, or continue from a --checkpoint.",
    ),
    (
        "rows --stop-never -R --no-defaults a b",
        "--stop-never cannot be used with several logs: it continues from one; name the first.",
    ),
    ("rows --stop-never -R --no-defaults --index=logs.index a", "--index cannot be used with a live server."),
    (
        "rows --stop-never -R --no-defaults -t a",
        "--to-last-log cannot be used with --stop-never: --stop-never implies it.",
    ),
    (
        "rows --stop-never -R --no-defaults --ssl-fips-mode=ON a",
        "--ssl-fips-mode is not possible: whether there is FIPS mode, OpenSSL's configuration says; leave it out.",
    ),
    # questions
    (
        "stats --by=table,foo a.000001",
        "--by: 'foo' is not one of table, database, type, second, minute, hour, server, thread, statement.",
    ),
    ("stats --by=Table,table a.000001", "--by: table is named twice."),
    *(
        (
            f"find --{one} --{other} a.000001",
            f"--{one.partition('=')[0]} cannot be used with --{other.partition('=')[0]}.",
        )
        for one, other in pairwise(["gtid=0-1-1", "not-in=0-1-1", "time=now", "xid=1", "position=a:4", "set=0-1-1"])
    ),
    ("find --time=now -", f"pybinlog find cannot be used with {STDIN_ONCE}: name the file."),
    ("summary -", f"pybinlog summary cannot be used with {STDIN_ONCE}: name the file."),
    ("transactions --committed -", f"--committed cannot be used with {STDIN_ONCE}: write the log to a file first."),
    ("xa --at=4 a.000001", "--at requires --in-doubt."),
    ("xa --in-doubt --at=a.000003:4 a.000001 a.000002", "--at: a.000003 is not one of the logs: a.000001, a.000002."),
    *(
        (
            f"{command} --start-position=4 a.000001 a.000002",
            "--start-position cannot be used with several logs: name one.",
        )
        for command in ("events", "rows", "stats", "transactions", "undo", "redo", "export -o x")
    ),
    # export
    ("export -o x --csv-safe a.000001", "--csv-safe requires --format=csv."),
    ("export -o - --compression=zstd a.000001", "--compression requires --format=parquet."),
    ("export -o x --format=csv --row-group-size=1M a.000001", "--row-group-size requires --format=parquet."),
    ("export -o x.parquet --format=csv a.000001", "--format=csv cannot be used with --output-dir=x.parquet."),
    (
        "export -o x.parquet.gz a.000001",
        "Parquet is compressed inside; use --compression, and a name that ends with .parquet.",
    ),
    (
        "export -o x.csv --partition-by=date a.000001",
        "--partition-by cannot be used with --output-dir=x.csv: it writes many files; for a folder of that name, end "
        "it with /.",
    ),
    ("export -o x --columns=position,position a.000001", "--columns names a column twice."),
    ("export -o x --ddl a.000001", "--ddl requires --view=rows."),
    ("export --view=table -o x a.000001", "--view=table requires --table=DATABASE.TABLE, given once."),
    (
        "export --view=table --table=a.b --table=c.d -o x a.000001",
        "--view=table requires --table=DATABASE.TABLE, given once.",
    ),
    (
        "export --view=table --table=a.b -o x -",
        f"--view=table cannot be used with {STDIN_ONCE}: write the log to a file first, or take --view=rows.",
    ),
    # undo
    (
        "undo --look-to=a.000001:4 a.000001 a.000002",
        "--look-to: a.000001 is neither the last log nor a later one beside it.",
    ),
    ("undo --skip-impossible -", f"--skip-impossible cannot be used with {STDIN_ONCE}: write the log to a file first."),
    # mirror
    ("mirror", "no folder is given; name it: pybinlog mirror [OPTIONS] FOLDER [FIRST_LOG]."),
    (
        "mirror --to=s3://backup/db1",
        "mirror writes to a folder, and s3://backup/db1 is a URL; mirror to a folder, and copy its finished logs.",
    ),
    ("mirror binlog.000007", "no folder is given; name it: pybinlog mirror [OPTIONS] FOLDER [FIRST_LOG]."),
    ("mirror --to=x a b", "a mirror begins with one log; name one, or none."),
    ("mirror --to=x --keep=y", "--keep: 'y' is neither a number of logs nor a time such as 12h, 30d or 4w."),
    ("mirror --to=x --on-log=", "--on-log needs a command."),
    (
        "mirror --to=x --on-log=/no/where",
        "--on-log: there is no program /no/where. No shell runs the command; for one, write "
        '--on-log=\'sh -c "..." sh\' and "$1" for the log.',
    ),
    ('mirror --to=x "--on-log=a \'b"', "--on-log=a 'b: no closing quotation."),
    (
        "mirror --print-unit --keep=3 --once",
        "--print-unit cannot be used with --once: the unit keeps the mirror running.",
    ),
    *(
        (
            f"mirror --verify --to=x {other}",
            f"--verify cannot be used with {other}: it looks at the logs in the folder and asks no server.",
        )
        for other in ("--once", "a.000001")
    ),
    (
        "mirror --to=x --semi-sync --once",
        "--semi-sync cannot be used with --once: it requires a mirror that keeps running.",
    ),
    ("mirror --to=x --tag=other", "--tag=other: the forms of markers are types and bits."),
    # simulate
    ("simulate", "no scenario is given; name one, or - for standard input."),
    ("simulate x.sql", "no output is given; give --output=DIR, or --outline to see the events."),
    *(
        (f"simulate --{one} --{other} x.sql", "--outline, --explain and --diff exclude each other; give one of them.")
        for one, other in (("outline", "explain"), ("outline", "diff"), ("explain", "diff"))
    ),
    ("simulate --outline - -", "standard input can be read only once; give - only once."),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in ("a.000001", "a.000002"):
        shutil.copy(BASIC, tmp_path / name)
    (tmp_path / "logs.index").write_text("./a.000001\n./a.000002\n")
    for name, text in OPTION_FILES.items():
        (tmp_path / name).write_text(f"[client]\n{text}")
    monkeypatch.chdir(tmp_path)
    there = sorted(os.listdir())
    yield tmp_path
    assert sorted(os.listdir()) == there


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("command", "sentence"), REFUSED, ids=[command for command, _ in REFUSED])
def test_it_is_refused_in_one_sentence(command: str, sentence: str) -> None:
    arguments = shlex.split(command)
    result = real(*arguments)
    assert result.err == f"ERROR: {sentence} See pybinlog {arguments[0]} --help.\n"
    assert (result.status, result.out) == (1 if arguments[0] == "dump" else 2, b"")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("server.cnf", "--user=me --password=***** --port=3307 --compress --host=db --ssl-mode=VERIFY_IDENTITY"),
        ("bare.cnf", "--host --password --get-server-public-key=0"),
        ("fips-off.cnf", "--user=you"),
    ],
)
def test_the_options_of_option_files_are_shown_without_the_password(file: str, shown: str) -> None:
    result = real("dump", f"--defaults-file={file}", "--no-login-paths", "--print-defaults")
    assert (result.status, result.out.decode().split("\n"), result.err) == (0, [*shown.split(" "), ""], "")


@pytest.mark.usefixtures("folder")
def test_an_option_without_its_value_in_an_option_file_is_an_error() -> None:
    result = real("check", "-R", "--defaults-file=bare.cnf", "a.000001")
    assert (result.status, result.err) == (2, "ERROR: bare.cnf: the option host has no value there.\n")


@pytest.mark.usefixtures("folder")
def test_stop_never_does_nothing_with_a_file() -> None:
    result = real("--stop-never", "a.000001")
    assert result.err == "WARNING: --stop-never works only with live servers; for a file, use --follow.\n"
    assert result.out == real("a.000001").out
