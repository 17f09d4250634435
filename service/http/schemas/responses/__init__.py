"""The documents that go out: dumped as they are, described by these schemas in openapi.yaml, held to them in tests."""
