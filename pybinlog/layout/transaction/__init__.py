"""Events that open, name, hold and end transactions."""
