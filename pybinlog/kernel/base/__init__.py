"""What everything in the kernel is made of: events and batches of them, bytes to read and text to write."""
