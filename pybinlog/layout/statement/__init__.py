"""Events of statements, of what they depend on, and of LOAD DATA."""
