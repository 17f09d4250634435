"""Numbers of things in words, and text of others as a terminal may show it."""

# A cell that begins so may be a formula, or is what `inert` makes of one.
_NO_TEXT = tuple("=+-@\t\r＝＋－＠'")
UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60))


def counted(number: int, noun: str) -> str:
    """A number with its noun, as in "1 game" and "2,000 games"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """A duration in the largest unit that it is a whole number of, as in "7 days" and "90 minutes"."""
    for noun, unit in UNITS:
        if seconds >= unit and seconds % unit == 0:
            return counted(int(seconds // unit), noun)
    return f"{seconds:g} second{'' if seconds == 1 else 's'}"


def harmless(text: str) -> str:
    """Text of a file without anything that could command the terminal."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def inert(text: str) -> str:
    """Text of a file as a cell that no spreadsheet takes for a formula: with an apostrophe before it if need be."""
    return f"'{text}" if text.startswith(_NO_TEXT) else text
