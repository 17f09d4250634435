"""The test suite; a package, so that `tests.domain` does not shadow `domain`."""
