"""ADR 0001: the flat import names are ours alone in this environment."""

import sysconfig
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

NAMES = ["service", "domain", "events", "workers", "compiled", "research", "drills", "tests"]
OURS = "migrato-engine"
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", NAMES)
def test_no_installed_distribution_owns_an_import_name(name: str) -> None:
    assert set(packages_distributions().get(name, [])) <= {OURS}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_site_packages_shadows_an_import_name(name: str) -> None:
    site_packages = Path(sysconfig.get_paths()["purelib"])

    assert not (site_packages / name).exists()
    assert not (site_packages / f"{name}.py").exists()


@pytest.mark.parametrize("name", NAMES)
def test_the_name_imports_this_projects_package(name: str) -> None:
    module = __import__(name)

    assert module.__file__ == str(ROOT / name / "__init__.py")
