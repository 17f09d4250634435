"""Refusals by their codes."""

from collections.abc import Callable

import pytest

from domain.errors import DomainError


def refusal_of(act: Callable[..., object], *arguments: object, **more: object) -> str:
    """The code by which this is refused."""
    with pytest.raises(DomainError) as refused:
        act(*arguments, **more)
    return refused.value.code
