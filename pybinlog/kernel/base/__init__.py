"""The building blocks of the kernel: events and batches of them, bytes to read and text to write."""
