"""A kit for bots of Migrato Engine: a class with one method plays, by push or by pull."""

from migrato_bots.bots import Bots, NoMove
from migrato_bots.command import run
from migrato_bots.pull import Puller
from migrato_bots.push import Answers, Server

__all__ = ["Answers", "Bots", "NoMove", "Puller", "Server", "run"]
