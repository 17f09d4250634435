"""A second, naive reading of the rules, and the tests that hold the engine against it."""
