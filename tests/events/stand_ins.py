"""Stand-ins for an event store: one whose process dies, or that is watched."""

from collections.abc import Callable
from functools import partial
from typing import Any

from events.errors import StoreUnavailable


class StandIn:
    """The store behind it does all that it does not do itself."""

    def __init__(self, store: Any) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


class Dying(StandIn):
    """A store whose process dies at its next append or creation: before it, or with it done and not answered."""

    def __init__(self, store: Any, dies: str = "") -> None:
        super().__init__(store)
        self.dies = dies

    def create(self, *arguments: Any, **more: Any) -> Any:
        return self._dying(partial(self.store.create, **more), arguments)

    def append(self, *arguments: Any) -> Any:
        return self._dying(self.store.append, arguments)

    def _dying(self, act: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        dies, self.dies = self.dies, ""
        if dies == "before":
            raise StoreUnavailable("died")
        outcome = act(*arguments)
        if dies == "after":
            raise StoreUnavailable("died")
        return outcome


class Interrupted(StandIn):
    """A store before whose appends and creations something else happens."""

    def __init__(self, store: Any, meanwhile: Callable[[], object]) -> None:
        super().__init__(store)
        self._meanwhile = meanwhile

    def create(self, *arguments: Any, **more: Any) -> Any:
        self._meanwhile()
        return self.store.create(*arguments, **more)

    def append(self, *arguments: Any) -> Any:
        self._meanwhile()
        return self.store.append(*arguments)
