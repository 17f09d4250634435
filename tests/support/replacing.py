"""Refuses `monkeypatch.setattr` where it would do nothing: compiled code does not look its own members up."""

import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType
from typing import Any

import pytest

from compiled import PACKAGES, SERVICE

OURS = {*PACKAGES, SERVICE}


def refuse_replacing_compiled_members() -> None:
    """From now on a test that replaces a member of a compiled module fails unless it runs on the sources."""
    pytest.MonkeyPatch.setattr = _guarded(pytest.MonkeyPatch.setattr)  # type: ignore[method-assign]


def _guarded(replace: Callable[..., None]) -> Callable[..., None]:
    def setattr_(patch: pytest.MonkeyPatch, target: Any, *more: Any, **options: Any) -> None:
        home = _module_of(target)
        if home.partition(".")[0] in OURS and _is_compiled(home):
            pytest.fail(f"{home} is compiled: mark the test with pytest.mark.plain")
        replace(patch, target, *more, **options)

    return setattr_


def _module_of(target: Any) -> str:
    """The name of the module whose member is replaced, or of the class whose member is."""
    if isinstance(target, str):
        return target.rpartition(".")[0]
    if isinstance(target, ModuleType):
        return target.__name__
    return target.__module__ if isinstance(target, type) else ""


def _is_compiled(name: str) -> bool:
    """True for a compiled module, and for a class of one."""
    module = sys.modules.get(name) or sys.modules.get(name.rpartition(".")[0])
    return str(getattr(module, "__file__", "")).endswith(tuple(EXTENSION_SUFFIXES))
