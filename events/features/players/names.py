"""Names of players: one way to write each, and which ones show.

Two texts that are canonically equivalent (Unicode's NFC), or differ in spaces around and between words, are one
name. Joiners, which scripts such as Persian and Malayalam and families of emoji are written with, stand between
characters that show; nothing else may be in a name that shows nothing.
"""

import re
from typing import Final
from unicodedata import normalize

LONGEST: Final = 64  # characters

# Nothing of these shows: controls, line ends, and Unicode's Default_Ignorable_Code_Point with the interlinear ones.
UNSEEN: Final = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
SPACE: Final = r" \xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
BLANK: Final = rf"{SPACE}\u2800\U0001d159"  # room without ink: spaces, a Braille cell, a note without a head
SHOWN: Final = rf"[^{UNSEEN}{BLANK}]"
SELECTOR: Final = (
    r"[\ufe00-\ufe0f\u180b-\u180d\u180f\U000e0100-\U000e01ef]"  # another form of what comes before
)
FLAG: Final = r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"  # as that of Scotland
VIRAMA: Final = (
    r"[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]"  # may have a joiner at a word's end
)
JOINER: Final = rf"(?<={VIRAMA})[\u200c\u200d]|(?<=[^{BLANK}\u200c\u200d])[\u200c\u200d](?={SHOWN})"
NAME: Final = re.compile(rf"(?:{FLAG}|{SHOWN}{SELECTOR}?|{JOINER}|[{BLANK}])++")
AROUND: Final = re.compile(rf"^[{BLANK}]+|[{BLANK}]+$")
SPACES: Final = re.compile(rf"[{SPACE}]+")


def canonical(name: str) -> str:
    """The one way to write the name: in NFC, without room around it, with one space for all spaces between words."""
    return AROUND.sub("", SPACES.sub(" ", normalize("NFC", name)))


def is_name(name: str) -> bool:
    """True for a name of a player: 1 to LONGEST characters, each allowed where it stands, and one of them visible."""
    written = canonical(name)
    return 0 < len(written) <= LONGEST and NAME.fullmatch(written) is not None
