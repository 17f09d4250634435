"""Admission: limits for each caller, and checks of requests that browsers send for pages of other sites."""
