"""The resources, by topic."""

from service.resources.audit import audit
from service.resources.bots import bots
from service.resources.events import events
from service.resources.games import games
from service.resources.housekeeping import housekeeping
from service.resources.moves import moves
from service.resources.players import players
from service.resources.replay import replay

TOPICS = (games, moves, events, replay, audit, players, bots, housekeeping)
