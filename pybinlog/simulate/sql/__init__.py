"""The statements that move rows: read, run on tables in memory, and what the binary log needs to know of them."""
