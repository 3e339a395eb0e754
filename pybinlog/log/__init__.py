"""One log: read, taken up after damage, known again; its events, and those inside others."""
