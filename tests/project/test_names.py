"""ADR 0001: the flat import names are ours alone in this environment."""

import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

from compiled import BUILDS

NAMES = ["service", "domain", "events", "workers", "compiled", "research", "drills", "tests"]
OURS = "migrato-engine"
ROOT = Path(__file__).parents[2]


def test_import_names_are_ours() -> None:
    """No installed distribution owns one, and no file in site-packages shadows one."""
    owners, site_packages = packages_distributions(), Path(sysconfig.get_paths()["purelib"])
    for name in NAMES:
        assert set(owners.get(name, [])) <= {OURS}, name
        assert not (site_packages / name).exists()
        assert not (site_packages / f"{name}.py").exists()
        home = Path(str(__import__(name).__file__))
        assert home == ROOT / name / "__init__.py" or home.is_relative_to(BUILDS)
