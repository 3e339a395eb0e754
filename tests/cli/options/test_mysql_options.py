"""The reference's habits on the command line."""

import pytest

from pybinlog.dump.options import Base64Output, DumpOptions
from tests.cli.conftest import parsed

DEFAULT = DumpOptions()


def options(*arguments: str) -> DumpOptions:
    """Return the options of the dump; fail if the arguments give an error or a warning."""
    result = parsed(*arguments, "binlog.000001")
    assert result.err == ""
    assert result.status == 0
    assert result.names == ["binlog.000001"]
    assert result.options is not None
    return result.options


def test_without_options_everything_has_its_default() -> None:
    assert options() == DEFAULT


UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
SET = f"A GTID set looks like {UUID}:1-5:7, or for MariaDB 0-1-3,0-1-5:9."
POSITION = "A position by MariaDB's GTIDs names one for each domain, such as 0-1-3,1-1-4."
DATETIME_SENTENCE = (
    "{} is not a date and time; give one such as '2024-12-25 11:25:56', 2024-12-25, 11:25 (of today) or "
    "2024-12-25T11:25:56Z."
)


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        (["--base64-output=never"], {"base64_output": Base64Output.NEVER}),
        (["--base64-output=DECODE-ROWS"], {"base64_output": Base64Output.DECODE_ROWS}),
        (["--base64-output=d"], {"base64_output": Base64Output.DECODE_ROWS}),
        (["--base64-output=unspec"], {"base64_output": Base64Output.AUTO}),
        (["--disable-log-bin"], {"disable_log_bin": True}),
        (["-D"], {"disable_log_bin": True}),
        (["--skip-force-if-open"], {"force_if_open": False}),
        (["--skip-force-if-open", "-F"], {}),
        (["-f"], {"force_read": True}),
        (["-H"], {"hexdump": True}),
        (["-i"], {"idempotent": True}),
        (["-l", "/tmp"], {"local_load": "/tmp"}),
        (["--local-load=/tmp"], {"local_load": "/tmp"}),
        (["-o33"], {"offset": 33}),
        (["--offset", "33"], {"offset": 33}),
        (["--server-id=3"], {"server_id": 3}),
        (["--server-id=0"], {}),
        (["--server-id=3", "--server-id=4"], {"server_ids": frozenset({3, 4})}),
        (["--thread-id=7", "--thread-id=8"], {"thread_ids": frozenset({7, 8})}),
        (["--event-type=query,XID"], {"event_types": frozenset({2, 16})}),
        (["--server-id-bits=7"], {"server_id_bits": 7}),
        (["--set-charset=latin1"], {"set_charset": "latin1"}),
        (["-j4096"], {"start_position": 4096}),
        (["-j", "5G"], {"start_position": 5 << 30}),
        (["--stop-position=1M"], {"stop_position": 1 << 20}),
        (["--stop-position=18446744073709551615"], {}),
        (["-v"], {"verbose": 1}),
        (["-vv"], {"verbose": 2}),
        (["-v", "-v"], {"verbose": 2}),
        (["--verbose", "-v"], {"verbose": 2}),
        (["-c"], {"verify_binlog_checksum": True}),
        (["--binlog-row-event-max-size=300"], {"binlog_row_event_max_size": 256}),
        (["--skip-gtids"], {"skip_gtids": True}),
        ([f"--include-gtids={UUID}:1"], {"include_gtids": f"{UUID}:1"}),
        (["--exclude-gtids", f"{UUID}:1,0-1-3:7"], {"exclude_gtids": f"{UUID}:1,0-1-3:7"}),
        (["--start-position=0-1-3,1-1-4"], {"start_gtids": "0-1-3,1-1-4"}),
        (["-j", "0-1-3", "--stop-position=0-1-3"], {"start_gtids": "0-1-3", "stop_gtids": "0-1-3"}),
        (["-j0-1-3", "--stop-position=4k"], {"start_gtids": "0-1-3", "stop_position": 4096}),
        (["--print-table-metadata"], {"print_table_metadata": True}),
        (["--require-row-format"], {"require_row_format": True}),
        (["--no-tbm"], {"tbm": False}),
        (["--no-tbm", "--tbm"], {}),
        (["--rewrite-db=a->b", "--rewrite-db", "c  ->  d"], {"rewrite_db": (("a", "b"), ("c", "d"))}),
        (["-vj4k", "-fH"], {"verbose": 1, "start_position": 4096, "force_read": True, "hexdump": True}),
    ],
)
def test_each_option_reaches_the_dump(arguments: list[str], changed: dict[str, object]) -> None:
    assert options(*arguments) == DEFAULT.replace(**changed)


def test_every_option_of_the_dump_can_be_given() -> None:
    from pybinlog.cli.options.dump_options import OPTIONS

    two_forms = {"start_gtids", "stop_gtids"}  # of --start-position and --stop-position
    lists = {"names", "event_types", "operations", "thread_ids", "server_ids"}  # of the options of docs/filters.md
    assert set(DumpOptions.value_names) - two_forms - lists <= {option.variable for option in OPTIONS}


@pytest.mark.parametrize(
    ("arguments", "hexdump"),
    [
        (["--hexdump"], True),
        (["--hexdump=1"], True),
        (["--hexdump=ON"], True),
        (["--hexdump=true"], True),
        (["--enable-hexdump"], True),
        (["--loose-hexdump"], True),
        (["--skip-hexdump=0"], True),
        (["--hexdump=0"], False),
        (["--hexdump=off"], False),
        (["--hexdump=False"], False),
        (["-H", "--skip-hexdump"], False),
        (["-H", "--disable-hexdump"], False),
        (["-H", "--enable-hexdump=0"], False),
        (["-H", "--loose-skip-hexdump"], False),
        (["-H", "--loose_skip_hexdump=0"], True),
    ],
)
def test_a_flag_is_switched_in_many_ways(arguments: list[str], hexdump: bool) -> None:
    assert options(*arguments).hexdump is hexdump


@pytest.mark.parametrize(
    ("arguments", "skip_gtids", "disable_log_bin", "tbm"),
    [
        (["--skip-gtids", "--disable-log-bin"], True, True, True),
        (["--skip-skip-gtids", "--skip-disable-log-bin"], False, False, True),
        (["--skip-gtids", "--skip-gtids=0", "--disable-disable-log-bin", "--skip-tbm"], False, False, False),
        (["--no-tbm=0"], False, False, True),
        (["--tbm=0"], False, False, False),
        (["--skip-no-tbm"], False, False, True),
    ],
)
def test_a_name_that_looks_like_a_switch_is_a_name_first(
    arguments: list[str], skip_gtids: bool, disable_log_bin: bool, tbm: bool
) -> None:
    got = options(*arguments)
    assert (got.skip_gtids, got.disable_log_bin, got.tbm) == (skip_gtids, disable_log_bin, tbm)


def test_underscores_stand_for_dashes() -> None:
    assert options("--base64_output=never", "--skip_gtids", "--print_table-metadata") == DEFAULT.replace(
        base64_output=Base64Output.NEVER, skip_gtids=True, print_table_metadata=True
    )


def test_a_skipped_number_is_its_smallest_value() -> None:
    assert options("--offset=5", "--skip-offset").offset == 0


def test_options_may_follow_files() -> None:
    result = parsed("a", "-v", "b", "--offset", "3", "-", "--", "-v", "--", "c")
    assert result.names == ["a", "b", "-", "-v", "--", "c"]
    assert result.options == DEFAULT.replace(verbose=1, offset=3)


def test_a_value_may_look_like_an_option_or_be_empty() -> None:
    assert options("--database", "-v", "--skip-gtids").database == "-v"
    assert options("--database=", "--skip-gtids").database == ""
    assert options("--database=a=b", "--skip-gtids").database == "a=b"


@pytest.mark.parametrize("argument", ["--no-defaults", "--no-login-paths", "--no-defaults=1", "--open-files-limit=64"])
def test_what_does_nothing_is_accepted(argument: str) -> None:
    assert options(argument) == DEFAULT


@pytest.mark.parametrize(
    ("argument", "warning"),
    [
        ("--loose-foo", "WARNING: unknown option --loose-foo; ignored because of --loose.\n"),
        ("--loose_foo=3", "WARNING: unknown option --loose_foo=3; ignored because of --loose.\n"),
        ("--loose-debug=x", "WARNING: --debug works only in debug builds of mysqlbinlog; leave it out.\n"),
        ("--hexdump=maybe", "WARNING: ignoring --hexdump=maybe: the value must be 0 or 1.\n"),
        ("--offset=-1", "WARNING: --offset=-1 is out of range; using 0.\n"),
    ],
)
def test_what_is_passed_over_is_warned_of(argument: str, warning: str) -> None:
    result = parsed(argument, "binlog.000001")
    assert (result.status, result.err, result.options) == (0, warning, DEFAULT)


@pytest.mark.parametrize(
    ("argument", "name", "value"),
    [
        ("--start-position=0", "start_position", 4),
        ("--stop-position=3", "stop_position", 4),
        ("--server-id-bits=3", "server_id_bits", 7),
        ("--server-id-bits=64", "server_id_bits", 32),
        ("--binlog-row-event-max-size=1", "binlog_row_event_max_size", 256),
    ],
)
def test_a_number_out_of_range_is_moved_into_it(argument: str, name: str, value: int) -> None:
    result = parsed(argument, "binlog.000001")
    assert result.err == f"WARNING: {argument} is out of range; using {value}.\n"
    assert result.options == DEFAULT.replace(**{name: value})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-v"], "no log is given; name one or more, or - for standard input."),
        (["--nonsense", "x"], "unknown option --nonsense."),
        (["--hex", "x"], "unknown option --hex; did you mean --hexdump?"),
        (["--verboze", "x"], "unknown option --verboze; did you mean --verbose?"),
        (["--nonsense=3", "x"], "unknown option --nonsense."),
        (["--HEXDUMP", "x"], "unknown option --HEXDUMP."),
        (["-Z", "x"], "unknown option -Z."),
        (["-vZf", "x"], "unknown option -Z in -vZf."),
        (["x", "--offset"], "--offset needs a value, as in --offset=N."),
        (["x", "--start-datetime=10:60"], DATETIME_SENTENCE.format("--start-datetime: '10:60'")),
        (
            ["x", "--include-gtids=xyz"],
            "--include-gtids: 'xyz' is neither a server's UUID nor a GTID of MariaDB. " + SET,
        ),
        (
            ["x", "--exclude-gtids=0-1"],
            "--exclude-gtids: '0-1' is neither a server's UUID nor a GTID of MariaDB. " + SET,
        ),
        (
            ["x", "--exclude-gtids=0-1-x"],
            "--exclude-gtids: '0-1-x' is neither a server's UUID nor a GTID of MariaDB. " + SET,
        ),
        (
            ["x", "--exclude-gtids=0-1-2:1-3"],
            "--exclude-gtids: '0-1-2:1-3' is not a GTID of MariaDB, or a range of them. " + SET,
        ),
        (["x", "--start-position=0-1"], "--start-position: '0-1' is not a GTID of MariaDB. " + POSITION),
        (["x", "--stop-position=0-1-3,"], "--stop-position: '' is not a GTID of MariaDB. " + POSITION),
        (["x", "--stop-position=0-1-3:7"], "--stop-position: '0-1-3:7' is not a GTID of MariaDB. " + POSITION),
        (
            ["x", "-j4294967296-1-3"],
            "--start-position: '4294967296-1-3' is not a GTID of MariaDB: a number in it is too large. " + POSITION,
        ),
        (
            ["x", "-j0-1-3,0-2-4"],
            "--start-position: 0-1-3 and 0-2-4 are of the same domain; give one GTID for each. " + POSITION,
        ),
        (
            ["x", "-j0-1-3,1-1-3", "--stop-position=1-1-2"],
            "--stop-position lies before --start-position in domain 1: 1-1-3 comes after 2.",
        ),
        (["x", "-j"], "--start-position needs a value, as in --start-position=POSITION."),
        (["--offset=", "x"], "--offset: '' is not a number; give one such as 1000 or 64K."),
        (["--offset=1x", "x"], "--offset: '1x' is not a number; give one such as 1000 or 64K."),
        (["--offset=1kk", "x"], "--offset: '1kk' is not a number; give one such as 1000 or 64K."),
        (["--offset=\u0663", "x"], "--offset: '\u0663' is not a number; give one such as 1000 or 64K."),
        (
            ["--offset=99999999999999999999", "x"],
            "--offset: '99999999999999999999' is too large; the largest number is 18446744073709551615.",
        ),
        (["--offset=16E", "x"], "--offset: '16E' is too large; the largest number is 18446744073709551615."),
        (["--open-files-limit=many", "x"], "--open-files-limit: 'many' is not a number; give one such as 1000 or 64K."),
        (["--verbose=3", "x"], "--verbose takes no value."),
        (["--skip-database", "x"], "--database takes a value; it cannot be switched on or off."),
        (["--enable-offset", "x"], "--offset takes a value; it cannot be switched on or off."),
        (["--base64-output=often", "x"], "--base64-output: 'often' is not one of never, auto, unspec, decode-rows."),
        (["--base64-output=", "x"], "--base64-output: '' is not one of never, auto, unspec, decode-rows."),
        (["--rewrite-db=a", "x"], "--rewrite-db: 'a' must name two databases, as in 'shop->shop_copy'."),
        (["--rewrite-db=->b", "x"], "--rewrite-db: '->b' must name two databases, as in 'shop->shop_copy'."),
        (["--rewrite-db=a-> ", "x"], "--rewrite-db: 'a-> ' must name two databases, as in 'shop->shop_copy'."),
        (["--color=blue", "x"], "--color: 'blue' is not one of 'auto', 'always', 'never'."),
        (["--stop-position=400", "-"], "--stop-position cannot be used with standard input: give the log by its name."),
        (["-", "x", "-"], "standard input can be read only once; give - only once."),
        (["-R", "--login-path=x", "--no-login-paths", "x"], "--login-path cannot be used with --no-login-paths."),
        (
            ["-R", "--no-defaults", "--compression-algorithms=zlib,lz4", "x"],
            "--compression-algorithms: 'lz4' is not one of uncompressed, zlib, zstd.",
        ),
        (["-R", "--no-defaults", "--ssl-crl=x", "x"], "--ssl-crl requires --ssl-ca or --ssl-mode=VERIFY_CA."),
        (
            ["-R", "--no-defaults", "--tls-sni-servername=a", "--ssl-mode=VERIFY_IDENTITY", "x"],
            "--tls-sni-servername cannot be used with --ssl-mode=VERIFY_IDENTITY: Python's TLS library looks for the "
            "name that it sends in the certificate; give that name as --host, or --ssl-mode=VERIFY_CA.",
        ),
        (
            ["-R", "--tls-ciphersuites=TLS_AES_128_GCM_SHA256", "x"],
            "--tls-ciphersuites is not supported by Python's TLS library. Set Ciphersuites in a configuration of "
            "OpenSSL (OPENSSL_CONF), or give --tls-version=TLSv1.2 with --ssl-cipher.",
        ),
        (["--raw", "x"], "--raw requires --read-from-remote-server (-R)."),
        (
            ["-R", "-t", "x", "y"],
            "--to-last-log cannot be used with several logs: it continues from one; name the first.",
        ),
        (
            ["-R", "--index=i", "x"],
            "--index cannot be used with a live server: name the first log, with --to-last-log (-t).",
        ),
        (["-R", "-"], "standard input cannot be read together with a live server."),
        (
            ["-R", "--to-last-log"],
            "no log is given; name one or more as the server does, such as binlog.000007. pybinlog -R without a log "
            "lists them.",
        ),
        (["-R", "--recover", "x"], "--recover cannot be used with a live server: what it sends is sound, or an error."),
        (["-R", "--spark", "x"], "--spark cannot be used with a live server: it sends its logs to one reader."),
        (
            ["-R", "--no-defaults", "--default-auth=authentication_kerberos_client", "x"],
            "--default-auth: pybinlog does not have the plugin authentication_kerberos_client (Kerberos, LDAP, OCI and "
            "WebAuthn are not possible); it has caching_sha2_password, sha256_password, mysql_native_password, "
            "client_ed25519, mysql_clear_password, dialog.",
        ),
        (["-R", "--no-defaults", "--tls-version=TLSv1", "x"], "--tls-version: 'TLSv1' is not one of TLSv1.2, TLSv1.3."),
        (
            ["--read-from-remote-source=BINLOG-DUMP-GTIDS", "--include-gtids=" + "a" * 32 + ":1", "x"],
            "--include-gtids cannot be used with BINLOG-DUMP-GTIDS: use --read-from-remote-server (-R).",
        ),
        (["-#d", "x"], "-# (--debug) works only in debug builds of mysqlbinlog; leave it out."),
        (
            ["-R", "--character_sets_dir=/x", "x"],
            "--character-sets-dir is not needed: pybinlog has its character sets built in; leave it out.",
        ),
    ],
)
def test_a_wrong_command_line_is_refused_with_one_sentence(arguments: list[str], sentence: str) -> None:
    result = parsed(*arguments)
    assert result.err == f"ERROR: {sentence} See pybinlog dump --help.\n"
    assert result.status == 1
    assert result.out == b""
    assert not result.dumped


# The options in `mysqlbinlog --help` of MySQL 9.7, names and letters.
REFERENCE_LETTERS = "?d#DFfHhilopPRrsSjtuvVcC"
REFERENCE_NAMES = """
help base64-output bind-address character-sets-dir database rewrite-db debug debug-check debug-info default-auth
disable-log-bin force-if-open force-read hexdump host idempotent local-load offset password plugin-dir port protocol
read-from-remote-server read-from-remote-master read-from-remote-source raw result-file server-id server-id-bits
set-charset short-form socket server-public-key-path get-server-public-key ssl-mode ssl-ca ssl-capath ssl-cert
ssl-cipher ssl-key ssl-crl ssl-crlpath tls-version ssl-fips-mode tls-ciphersuites ssl-session-data
ssl-session-data-continue-on-failed-reuse tls-sni-servername start-datetime start-position stop-datetime stop-never
stop-never-slave-server-id connection-server-id stop-position to-last-log user verbose version open-files-limit
verify-binlog-checksum binlog-row-event-max-size skip-gtids include-gtids exclude-gtids print-table-metadata compress
compression-algorithms zstd-compression-level require-row-format print-defaults no-defaults defaults-file
defaults-extra-file defaults-group-suffix login-path no-login-paths
""".split()


OF_SERVERS = """
    --host=db1 -hdb1 --port=33 -P33 --user=root -uroot --socket=/x -S/x --protocol=TCP --bind-address=::1
    --ssl-mode=REQUIRED --ssl-ca=/x --ssl-capath=/x --ssl-cert=/x --ssl-key=/x --ssl-cipher=x --ssl-crl=/x
    --ssl-crlpath=/x --tls-version=TLSv1.2 --tls-ciphersuites=x --tls-sni-servername=x --ssl-fips-mode=OFF
    --ssl-session-data=/x --ssl-session-data-continue-on-failed-reuse --get-server-public-key
    --server-public-key-path=/x --compress -C --compression-algorithms=zstd --zstd-compression-level=5 --default-auth=x
    --plugin-dir=/x --character-sets-dir=/x --login-path=x --no-login-paths --defaults-file=/x --defaults-extra-file=/x
    --defaults-group-suffix=x --to-last-log -t --connection-server-id=4 --stop-never-slave-server-id=4
    --ssl --skip-ssl --ssl-verify-server-cert --ssl-fp=x --loose-ssl-session-data=x
""".split()


@pytest.mark.parametrize("option", OF_SERVERS)
def test_what_is_about_servers_does_nothing_with_files_as_in_the_reference(option: str) -> None:
    for arguments in ([option, "x"], ["x", option]):
        result = parsed(*arguments)
        said = [line for line in result.err.splitlines() if " is deprecated and will be removed in " not in line]
        assert (result.status, said, result.names, result.options) == (0, [], ["x"], DumpOptions())


def test_the_value_of_an_option_that_does_nothing_may_stand_apart() -> None:
    assert parsed("--plugin-dir", "/x", "y").names == ["y"]
    assert parsed("--character-sets-dir", "/x", "y").names == ["y"]


def test_every_option_of_the_reference_is_known() -> None:
    from pybinlog.cli.commands.dump import dump
    from pybinlog.cli.options.dump_options import REFUSED, REFUSED_LETTERS

    assert not set(REFERENCE_NAMES) - {option.name for option in dump.options} - set(REFUSED)
    of_mariadb = {"B", "T"}
    letters = ({option.letter for option in dump.options if option.letter} | set(REFUSED_LETTERS)) - of_mariadb
    assert letters | {"?"} == set(REFERENCE_LETTERS)  # -? is what it was, beside -h
    assert set(REFUSED_LETTERS.values()) <= set(REFUSED)
