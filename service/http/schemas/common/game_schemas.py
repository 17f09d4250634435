"""Parts that a game supplies to the HTTP interface: the schemas of its moves, options, setup, state and events."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from marshmallow import Schema

from service.http.schemas.common.events import EventSchema
from service.http.schemas.common.fields import RequestDocument
from service.http.schemas.common.results import COMMON_REASONS, Result


@dataclass(frozen=True, slots=True, eq=False)
class GameSchemas:
    """The schemas of one game; `service.http.schemas.of_each_game` has those of every game.

    `moves`: schemas by the value of the member `type`. `options`: those of a request for a game. `resolved_options`:
    those of an answer, every option with its value. `state`: of a view, once the game has started. `setup`: what can be
    prepared instead of left to chance; None if nothing can. `events`: by type, those of this game alone; one with the
    type of a common event replaces that. `game_created` is needed only if it records more than the options.
    `rendering`: further knowledge for a renderer of the game from its events, in Markdown. `reasons`: the reasons for
    which a game may end. `result`: the form of a result, if the game adds members to the common ones.
    `parser_is_strict`: the game's `parse_move` accepts no document that `moves` refuses; then a document that it
    accepts is not checked again, and a null in it must mean what it means to `moves`. `rules`: by the member of a
    request for a game, such as `seats`, the anchor on the game's page of rules that says which values it may have.
    """

    moves: Mapping[str, RequestDocument]
    options: RequestDocument
    resolved_options: Schema
    state: Schema
    events: Mapping[str, EventSchema]
    setup: RequestDocument | None = None
    reasons: tuple[str, ...] = ("resigned", *COMMON_REASONS)
    rendering: str = ""
    result: Schema = field(default_factory=Result)
    parser_is_strict: bool = False
    rules: Mapping[str, str] = field(default_factory=dict)
