"""One module for each kind of resource: its routes and what they answer."""

from service.http.resources.analyses import analyses
from service.http.resources.apps import apps
from service.http.resources.bots import bots
from service.http.resources.claims import claims
from service.http.resources.games.events import events
from service.http.resources.games.games import games
from service.http.resources.games.moves import moves
from service.http.resources.housekeeping import housekeeping
from service.http.resources.interventions import interventions
from service.http.resources.invites import invites
from service.http.resources.matchmaking.lobby import lobby
from service.http.resources.matchmaking.quick_match import quick_match
from service.http.resources.players import players
from service.http.resources.ratings import leaderboards
from service.http.resources.records.proofs import audit
from service.http.resources.records.replay import replay
from service.http.resources.rematches import rematches
from service.http.resources.takebacks import takebacks
from service.http.resources.tickets import tickets
from service.http.resources.webhooks.app_events import app_events
from service.http.resources.webhooks.endpoints import webhooks

BLUEPRINTS = (
    games,
    invites,
    lobby,
    quick_match,
    moves,
    events,
    tickets,
    interventions,
    claims,
    replay,
    audit,
    players,
    leaderboards,
    rematches,
    analyses,
    takebacks,
    bots,
    apps,
    app_events,
    webhooks,
    housekeeping,
)
