"""The filter: a stage between the scanner and all that reads its batches. It marks what you did not ask for."""
