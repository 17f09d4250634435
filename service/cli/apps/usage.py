"""`migrato apps usage`: what applications have used, as a table, as CSV or as JSON."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from domain.lifecycle import Json
from events.features.usage.usage import OF_A_BOT, SHOWN

OF_AN_APP: Final = (*SHOWN, "moves_by_bots")
TABLE: Final = (
    "app",
    "day",
    "games",
    "moves by people",
    "by bots",
    "questions",
    "thinking",
    "streams",
    "deliveries",
)


def as_csv(reports: Sequence[Json]) -> str:
    """A line for each application and day, and one for each bot that it has used then; no number is in both."""
    text = io.StringIO()
    rows = csv.DictWriter(
        text, ["app", "date", "bot", *OF_AN_APP, *OF_A_BOT], restval="", lineterminator="\n"
    )
    rows.writeheader()
    for report in reports:
        for day in report["days"]:
            about = {"app": report["app"], "date": day["date"]}
            rows.writerow(about | {name: day[name] for name in OF_AN_APP})
            rows.writerows(about | bot for bot in day["bots"])
    return text.getvalue()


def as_table(reports: Sequence[Json]) -> Iterator[tuple[str, ...]]:
    """The rows of a table, without its head: the days of each application, and their sum."""
    for report in reports:
        for day in (*report["days"], report["total"]):
            answers = sum(bot["questions"] + bot["hints"] for bot in day["bots"])
            seconds = sum(bot["thinking_ms"] for bot in day["bots"]) / 1000
            numbers = (day["games_created"], day["moves_by_people"], day["moves_by_bots"], answers)
            yield (
                *(report["app"], day.get("date", "total")),
                *map(str, numbers),
                f"{seconds:.1f} s",
                *(str(day["streams"]), str(day["deliveries"])),
            )
