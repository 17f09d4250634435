"""Browsers on the service: a real one, and the packages of npm that stand in for one."""
