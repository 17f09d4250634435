"""The port of registered bots: their records and secrets, and the outcomes of calls."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from events.features.registered_bots.records import RegisteredBot
from events.features.signing_secrets import SigningSecret


class RegisteredBotStore(Protocol):
    """The bots of apps. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def of_app(self, app: str) -> list[RegisteredBot]:
        """The app's bots, also those without versions, in the order of their names."""

    def find(self, app: str, name: str) -> RegisteredBot | None:
        """The app's bot of that name; None if there is none."""

    def put(
        self,
        former: RegisteredBot | None,
        bot: RegisteredBot,
        most: int,
        secrets: Sequence[SigningSecret] | None = None,
    ) -> str:
        """Replace the bot's record, if it is unchanged since it was read as `former` (None for a new bot).

        `secrets`: None leaves them as they are. Returns "done", also if the new record was already there; "changed" if
        there is another one; "full" if the app has `most` bots.
        """

    def secrets(self, app: str, name: str) -> list[SigningSecret]:
        """The bot's secrets, the newest first; [] for one that is not there."""

    def replace_secrets(
        self, app: str, name: str, known: Sequence[SigningSecret], new: Sequence[SigningSecret]
    ) -> bool:
        """Replace the secrets if they are still the `known` ones."""

    def count(self, app: str, day: int, counts: Mapping[str, int]) -> None:
        """Add to the counts of that day (days since 1970), by name. Counts of old days expire."""

    def counts(self, app: str, days: Sequence[int]) -> dict[str, int]:
        """The sums of the counts of these days, by name."""
