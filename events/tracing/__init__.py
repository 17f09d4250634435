"""Traces by OpenTelemetry, if an operator asks for them; the library is imported only then."""
