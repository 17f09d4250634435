"""One module for each kind of resource: its routes and what they answer."""

from service.http.resources.administration.apps import apps
from service.http.resources.audit import audit
from service.http.resources.bots import bots
from service.http.resources.events import events
from service.http.resources.finished.analyses import analyses
from service.http.resources.finished.rankings import rankings
from service.http.resources.finished.rematches import rematches
from service.http.resources.games import games
from service.http.resources.housekeeping import housekeeping
from service.http.resources.interventions import interventions
from service.http.resources.joining.invites import invites
from service.http.resources.joining.lobby import lobby
from service.http.resources.joining.quick_match import quick_match
from service.http.resources.moves import moves
from service.http.resources.players import players
from service.http.resources.replay import replay
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
    replay,
    audit,
    players,
    rankings,
    rematches,
    analyses,
    takebacks,
    bots,
    apps,
    app_events,
    webhooks,
    housekeeping,
)
