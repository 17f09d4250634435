"""Remarks: things that no check finds wrong, and that only the operator vouches for."""
