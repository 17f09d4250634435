"""Migrato's parts of the HTTP interface."""

from typing import Final

from service.http.schemas.common.game_schemas import GameSchemas
from service.http.schemas.migrato.events import EVENTS, REASONS, RENDERING
from service.http.schemas.migrato.moves import MOVES
from service.http.schemas.migrato.options import Options, ResolvedOptions, SetUp
from service.http.schemas.migrato.table import Table

SCHEMAS: Final = GameSchemas(
    moves=MOVES,
    options=Options(),
    resolved_options=ResolvedOptions(),
    state=Table(),
    events=EVENTS,
    setup=SetUp(),
    reasons=REASONS,
    rendering=RENDERING,
    parser_is_strict=True,
    rules={"seats": "2", "options": "options", "setup": "2"},
)
