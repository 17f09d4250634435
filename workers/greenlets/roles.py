"""Several roles in one process, each in a greenlet."""

from collections.abc import Callable, Mapping

import gevent  # type: ignore[import-untyped]

from events.runtime import logs


def beside_each_other(roles: Mapping[str, Callable[[], None]]) -> None:
    """Work in these roles, by name, until all have ended. The first error that ends one is raised immediately."""
    for ended in gevent.iwait([gevent.spawn(_end_of, name, work) for name, work in roles.items()]):
        if ended.value is not None:
            raise ended.value


def _end_of(role: str, work: Callable[[], None]) -> BaseException | None:
    """Work. Returns the error that ends the work, None if it ends by itself."""
    logs.ROLE.set(role)
    try:
        work()
    except BaseException as error:  # noqa: BLE001 -- the process ends by it
        return error
    return None
