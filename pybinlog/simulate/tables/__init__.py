"""Tables in memory, with engines that have transactions and engines that have none."""
