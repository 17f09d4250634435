"""Place of this installation's packages."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The directory that holds `service`, `workers`, `events` and `domain`: every process is started there, so
that `python -m workers` finds ours and not a package of that name in the user's directory."""
