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

    `moves`: by the value of the member `type`. `options`: as they are asked for when a game is created.
    `resolved_options`: as they are answered, every one with its value. `state`: of a view, once the game has started.
    `setup`: what can be prepared instead of left to chance; None if nothing can. `events`: by type, those of the game
    alone; one that stands among the common events too replaces that. `game_created` need only be there if it records
    more than the options. `rendering`: further knowledge for a renderer of the game from its events, in Markdown.
    `reasons`: why a game may end. `result`: the form of a result, if the game has more members than every game.
    `parser_is_strict`: the game's `parse_move` takes no document that `moves` refuses, whatever it is given; what it
    takes is then not checked a second time. Where it takes a null, that means what `moves` makes of it. `rules`: by the
    member of a request for a game, as `seats`, the anchor on the game's page of rules that says what it may be.
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
