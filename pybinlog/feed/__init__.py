"""Feed: logs in, marked batches out, into any view of the kernel; what each run says of its logs is said here."""
