# compiled into serving
"""The short way to the route of an operation, without Flask: by its method and path."""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final
from wsgiref.types import WSGIEnvironment

from service.http.call import Found, Route
from service.http.routing.path_parameters import PathParameter, expression_of, parameters_of

PATHS_KEPT: Final = 1000  # paths of each method that are kept; callers ask for the same ones again and again


class ShortWay:
    """Finds the route that Flask's router would find, or none; then Flask's router must decide."""

    def __init__(self, routes: Iterable[tuple[str, Route]]) -> None:
        """`routes` of operations, with their methods; the names of the routes are the templates of their paths."""
        self._methods = defaultdict[str, list[Path]](list)
        for method, route in routes:
            self._methods[method].append(Path(route))
        self._found: dict[str, dict[str, Found]] = {method: {} for method in self._methods}

    def find(self, environ: WSGIEnvironment) -> Found | None:
        """The route of the requested operation, with its parameters; None if this way does not find it."""
        known = self._found.get(environ["REQUEST_METHOD"])
        if known is None or "HTTP_UPGRADE" in environ:
            return None
        path: str = environ["PATH_INFO"]
        found = known.get(path)
        return found if found is not None else self._look(environ["REQUEST_METHOD"], path)

    def _look(self, method: str, path: str) -> Found | None:
        for candidate in self._methods[method]:
            match = candidate.expression.fullmatch(path)
            if match is not None:
                parameters = {one.name: one.read(match[one.name]) for one in candidate.parameters}
                known = self._found[method]
                if len(known) >= PATHS_KEPT:
                    known.clear()
                found = known[path] = Found(candidate.route, parameters)
                return found
        return None


class Path:
    """The paths of a route."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.expression: re.Pattern[str] = expression_of(route.name)
        self.parameters: list[PathParameter] = parameters_of(route.name)
