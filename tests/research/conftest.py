"""The C++ kernels of both games, compiled once; without a compiler a test that needs one is skipped."""

import shutil

import pytest

from research.training import migo_kernel, migrato_kernel


@pytest.fixture(scope="session")
def compiler() -> None:
    """There is one."""
    if shutil.which("g++") is None:
        pytest.skip("there is no C++ compiler")


@pytest.fixture(scope="session")
def kernel(compiler: None) -> migrato_kernel.Kernel:
    return migrato_kernel.Kernel()


@pytest.fixture(scope="session")
def kernel_of_migo(compiler: None) -> migo_kernel.Kernel:
    return migo_kernel.Kernel()
