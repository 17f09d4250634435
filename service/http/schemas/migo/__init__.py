"""Migo's parts of the HTTP interface."""

from typing import Final

from service.http.schemas.common.game_schemas import GameSchemas
from service.http.schemas.migo.events import EVENTS, REASONS, RENDERING
from service.http.schemas.migo.moves import MOVES
from service.http.schemas.migo.options import MigoOptions, MigoSetUp, ResolvedMigoOptions
from service.http.schemas.migo.table import MigoResult, MigoTable

SCHEMAS: Final = GameSchemas(
    moves=MOVES,
    options=MigoOptions(),
    resolved_options=ResolvedMigoOptions(),
    state=MigoTable(),
    events=EVENTS,
    setup=MigoSetUp(),
    reasons=REASONS,
    rendering=RENDERING,
    result=MigoResult(),
    parser_is_strict=True,
    rules={"seats": "2", "options": "options", "setup": "prepared-rounds"},
)
