"""One module for each kind of resource: its routes and what they answer."""

from service.http.resources.audit import audit
from service.http.resources.bots import bots
from service.http.resources.events import events
from service.http.resources.games import games
from service.http.resources.housekeeping import housekeeping
from service.http.resources.moves import moves
from service.http.resources.players import players
from service.http.resources.replay import replay

BLUEPRINTS = (games, moves, events, replay, audit, players, bots, housekeeping)
