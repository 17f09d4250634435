"""Admission: limits for each caller, and requests that browsers make for other sites."""
