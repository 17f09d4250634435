"""The C++ kernels of both games, compiled once; without a compiler a test that needs one is skipped."""

import shutil

import pytest

from research.training import migo_kernel, migrato_kernel


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skip the test unless there is a compiler."""
    if shutil.which("g++") is None:
        pytest.skip("there is no C++ compiler")


@pytest.fixture(scope="session")
def kernel(compiler: None) -> migrato_kernel.Kernel:
    return migrato_kernel.Kernel()


@pytest.fixture(scope="session")
def kernel_of_migo(compiler: None) -> migo_kernel.Kernel:
    return migo_kernel.Kernel()


@pytest.hookimpl(tryfirst=True)  # before others look at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Programs of the trainer are compiled and compared by night: no engine needs them."""
    for item in items:
        if item.nodeid.startswith("tests/research/") and "compiler" in getattr(item, "fixturenames", ()):
            item.add_marker(
                pytest.mark.nightly("the trainer of the nets departs from the rules of the domain")
            )
