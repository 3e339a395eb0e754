"""Jobs: functions run elsewhere for many items, their results taken in order.

with contextlib.closing(ProcessJobs(2)) as jobs:
    for size in jobs.in_order(os.path.getsize, logs): ...
"""
