"""SQL: the views of logs as tables of DuckDB, which reads only what a query needs."""
