"""The server's binary logging, modelled: scenarios of statements become real binary logs, without a server.

    from pybinlog.simulate import simulate

    result = simulate('''
        -- server: version=9.7 format=MIXED
        con1: CREATE TABLE t (a INT PRIMARY KEY);
        con1: INSERT INTO t VALUES (1);
    ''')
    result.files["binlog.000001"]            # the bytes of a binary log
    result.write("fixtures")                 # files and index file
    result.table("test.t")                   # what the model's table holds: [(1,)]

See docs/simulate.md.
"""

from pybinlog.simulate.errors import ScenarioError
from pybinlog.simulate.options import BinlogFormat, LogEnd, ServerOptions
from pybinlog.simulate.scenario import Scenario
from pybinlog.simulate.simulation import Simulation, simulate

__all__ = ["BinlogFormat", "LogEnd", "Scenario", "ScenarioError", "ServerOptions", "Simulation", "simulate"]
