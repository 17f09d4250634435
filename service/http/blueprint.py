"""Blueprints that describe their operations; openapi.yaml is generated from these descriptions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import Blueprint
from marshmallow import Schema, fields

from events.features.apps.scopes import READ, WRITE
from service.http.routing.path_parameters import rule_of
from service.http.schemas.common.queries import NoQuery

View = TypeVar("View", bound=Callable[..., Any])
Shape = Schema | fields.Field[Any] | str  # a schema, a field, or the name of another media type's text


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that is no problem: its shape by media type ({} without a body), and the headers that it carries."""

    description: str
    content: Mapping[str, Shape]
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """Description of one method of a resource, which the service keeps to.

    `token`: "required", "optional" or "none"; `problems`: the codes with which it may answer, beside those that follow
    from its body, its query and its token; `headers`: request headers that it reads; `foreign`: where no app keys
    identify callers, pages of other sites may call it too (`service.http.admission.origins`); `view`: the function that
    answers it; `limited`: the name of the limit that counts it, beside the limit of all requests; `scope`: the scope
    that an app's key needs (`events.features.apps.scopes`).
    """

    method: str
    path: str
    endpoint: str
    tag: str
    summary: str
    description: str
    answers: Mapping[int, Answer]
    query: Schema
    body: Shape | None
    body_required: bool
    headers: tuple[str, ...]
    token: str
    problems: tuple[str, ...]
    foreign: bool
    view: Callable[..., Any]
    limited: str | None
    scope: str


class ApiBlueprint(Blueprint):
    """A Flask blueprint whose operations are described for the OpenAPI document."""

    def __init__(self, tag: str, description: str) -> None:
        """`tag` and `description`: the name and text of its tag in openapi.yaml."""
        super().__init__(tag.lower(), __name__)
        self.tag = tag
        self.description = description
        self.operations: list[Operation] = []

    def operation(
        self,
        method: str,
        path: str,
        *,
        summary: str,
        answers: Mapping[int, Answer],
        query: Schema | None = None,
        body: Shape | None = None,
        body_required: bool = True,
        headers: tuple[str, ...] = (),
        token: str = "optional",
        problems: tuple[str, ...] = (),
        foreign: bool = False,
        limited: str | None = None,
        scope: str | None = None,
    ) -> Callable[[View], View]:
        """Route a path to a view and describe it; the view's docstring is the description.

        If `scope` is not given, an app's key needs the scope that reads games for a method that only reads, and
        otherwise the scope that writes them.
        """

        def register(view: View) -> View:
            self.operations.append(
                Operation(
                    method,
                    path,
                    view.__name__,
                    self.tag,
                    summary,
                    " ".join((view.__doc__ or "").split()),
                    answers,
                    query or NoQuery(),
                    body,
                    body_required,
                    headers,
                    token,
                    problems,
                    foreign,
                    view,
                    limited,
                    scope or (READ if method == "GET" else WRITE),
                )
            )
            self.add_url_rule(rule_of(path), view.__name__, view, methods=[method])
            return view

        return register
