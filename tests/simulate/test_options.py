"""The settings of a `-- server:` line: what each may be, at its bounds, and the sentence that refuses the rest."""

from uuid import UUID

import pytest

from pybinlog.simulate import BinlogFormat, LogEnd, ScenarioError, ServerOptions
from pybinlog.simulate.options import Markers

UUID_TEXT = "3e11fa47-71ca-11e1-9e33-c80aa9429562"


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("version=9.7", "9.7.4"),
        ("version=9.7.2", "9.7.2"),
        ("version=5.6", "5.6.24"),
        ("version=8.0.20", "8.0.20"),
        ("version=8.4", "8.4"),
        ("format=row", BinlogFormat.ROW),
        ("gtid=ON", True),
        ("gtid=1", True),
        ("gtid=true", True),
        ("gtid=off", False),
        ("gtid=0", False),
        ("gtid=False", False),
        ("checksum=CRC32", True),
        ("checksum=none", False),
        ("markers=bits", Markers.BITS),
        ("row_image=minimal", "MINIMAL"),
        ("row_metadata=full", "FULL"),
        ("time_zone=system", "system"),
        ("time_zone=-13:59", "-13:59"),
        ("server_id=1", 1),
        ("server_id=4294967295", 0xFFFFFFFF),
        ("first_query_id=4294967295", 0xFFFFFFFF),
        ("first_connection_id=268435455", 0xFFFFFFF),
        (f"server_uuid={UUID_TEXT}", UUID(UUID_TEXT)),
        ("time=0.000001", 1),
        ("time=12.5", 12_500_000),
        ("time=4294967295.999999", (1_000_000 << 32) - 1),
        ("time=1970-01-01T00:00:01", 1_000_000),
        ("time=2024-01-01T12:00:00Z", 1_704_110_400_000_000),
        ("time=2024-01-01T12:00:00+02:00", 1_704_103_200_000_000),
        ("time=2106-02-07T06:28:15", 0xFFFFFFFF * 1_000_000),
        ("step=0", 0),
        ("step=0.5", 500_000),
        (f"log_bin={'x' * 200}", "x" * 200),
        ("end=open", LogEnd.OPEN),
    ],
)
def test_a_setting(setting: str, value: object) -> None:
    assert getattr(ServerOptions().with_settings(setting), setting.partition("=")[0]) == value


VERSIONS = "the model knows the servers 5.6, 9.7, 11.8 (MariaDB), and stands for 5.7, 8.0, 8.4 as well"


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("version=9.7.123", VERSIONS),
        ("version=9", VERSIONS),
        ("format=rows", "this is one of STATEMENT, ROW, MIXED"),
        ("gtid=yes", "this is on or off"),
        ("checksum=md5", "this is one of crc32, none"),
        ("row_image=most", "this is one of FULL, MINIMAL, NOBLOB"),
        ("time_zone=02:00", "this is SYSTEM, which is UTC, or as +02:00"),
        ("time_zone=+15:00", "this is SYSTEM, which is UTC, or as +02:00"),
        ("time_zone=+01:60", "this is SYSTEM, which is UTC, or as +02:00"),
        ("server_id=0", "this is a whole number from 1 to 4294967295"),
        ("server_id=4294967296", "this is a whole number from 1 to 4294967295"),
        ("server_id=-1", "this is a whole number from 1 to 4294967295"),
        ("first_connection_id=268435456", "this is a whole number from 1 to 268435455"),
        ("server_uuid=x", "this is not a UUID"),
        ("time=0", "an event's timestamp reaches from 1970 to 2106"),
        ("time=4294967296", "an event's timestamp reaches from 1970 to 2106"),
        ("time=1970-01-01T00:00:00", "an event's timestamp reaches from 1970 to 2106"),
        ("time=1969-12-31T23:59:59", "an event's timestamp reaches from 1970 to 2106"),
        ("time=2106-02-07T06:28:16", "an event's timestamp reaches from 1970 to 2106"),
        ("time=12.5s", "this is a number of seconds, such as 0.001"),
        ("time=soon", "this is a time as 2024-01-01T12:00:00 or the seconds since 1970"),
        ("step=0.0000001", "this is a number of seconds, such as 0.001"),
        ("step=-1", "this is a number of seconds, such as 0.001"),
        (f"log_bin={'x' * 201}", "this is the name of the logs without their number, such as binlog"),
        ("log_bin=.x", "this is the name of the logs without their number, such as binlog"),
        ("end=crash", "this is one of stop, rotate, open"),
    ],
)
def test_a_setting_that_is_refused(setting: str, sentence: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        ServerOptions().with_settings(setting)
    assert str(refused.value) == f"{setting}: {sentence}"


@pytest.mark.parametrize("setting", ["colour=red", "gtid"])
def test_what_is_no_setting(setting: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        ServerOptions().with_settings(f"gtid=on {setting}")
    assert refused.value.message == f"'{setting}' is not a setting of the simulated server"
    assert refused.value.hint is not None
    assert refused.value.hint.startswith("There are version, format, gtid, checksum, markers, rows_query, ")


@pytest.mark.parametrize(
    ("setting", "gtid", "consistent"),
    [
        ("version=9.7", True, True),
        ("version=9.7 gtid=off", False, True),
        ("version=9.7 gtid=off enforce_gtid_consistency=off", False, False),
        ("version=8.4", False, False),
        ("version=8.4 gtid=on", True, True),
        ("version=5.6", False, False),
        ("version=5.6 enforce_gtid_consistency=on", False, True),
    ],
)
def test_the_defaults_of_a_version(setting: str, gtid: bool, consistent: bool) -> None:
    options = ServerOptions().with_settings(setting).complete()
    assert (options.gtid, options.enforce_gtid_consistency) == (gtid, consistent)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("version=5.6 time_zone=+13:00", None),
        ("version=5.6 time_zone=+13:01", "time_zone=+13:01: a time zone is from -12:59 to +13:00"),
        ("version=5.6 time_zone=-12:59", None),
        ("version=5.6 time_zone=-13:00", "time_zone=-13:00: a time zone is from -12:59 to +13:00"),
        ("time_zone=+14:00", None),
        ("time_zone=+14:01", "time_zone=+14:01: a time zone is from -13:59 to +14:00"),
        ("time_zone=-13:59", None),
        ("time_zone=-14:00", "time_zone=-14:00: a time zone is from -13:59 to +14:00"),
        ("version=5.6 row_metadata=FULL", "MySQL 5.6.24 has no binlog_row_metadata"),
        ("row_metadata=FULL", None),
    ],
)
def test_the_bounds_of_a_version(setting: str, sentence: str | None) -> None:
    options = ServerOptions().with_settings(setting)
    if sentence is None:
        assert options.complete().time_zone == options.time_zone
        return
    with pytest.raises(ScenarioError) as refused:
        options.complete()
    assert str(refused.value) == sentence
