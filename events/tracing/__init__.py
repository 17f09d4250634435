"""Traces by OpenTelemetry, where an operator asks for them: imported then, and not before."""
