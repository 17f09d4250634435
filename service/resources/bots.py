"""The bots that can be asked to take a seat."""

from werkzeug.wrappers import Response

from domain.bots import BOTS
from domain.decider import GAMES
from service.answers import answer
from service.reading import query
from service.schemas.answers import BotCatalogue
from service.schemas.queries import NoQuery
from service.topic import Answer, Topic

bots = Topic("Bots", "Who can be played against.")

_NO_QUERY = NoQuery()


@bots.operation(
    "GET",
    "/v1/bots",
    summary="The catalogue of bots",
    token="none",
    answers={200: Answer("Every bot.", {"application/json": BotCatalogue()})},
)
def list_bots() -> Response:
    """A bot takes a seat when a game is created with `{"kind": "bot", "bot": NAME}`; it sees what its seat may see."""
    query(_NO_QUERY)
    catalogue = [
        {"name": bot.name, "version": bot.version, "description": bot.description, "games": list(GAMES)}
        for bot in BOTS.values()
    ]
    return answer({"bots": catalogue}, cache="no-cache")
