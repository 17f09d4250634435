"""Names of players: their canonical spelling, and which texts may be names.

Two texts that are canonically equivalent (Unicode's NFC), or differ only in spaces around and between words, are one
name. Joiners are allowed between visible characters, because scripts such as Persian and Malayalam and families of
emoji are written with them. No other invisible character may be in a name.
"""

import re
from typing import Final
from unicodedata import normalize

LONGEST: Final = 64  # characters

# Invisible characters: controls, line ends, and Unicode's Default_Ignorable_Code_Point with the interlinear ones.
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
# such as the flag of Scotland
FLAG: Final = r"\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
VIRAMA: Final = (
    r"[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]"  # may have a joiner at a word's end
)
JOINER: Final = rf"(?<={VIRAMA})[\u200c\u200d]|(?<=[^{BLANK}\u200c\u200d])[\u200c\u200d](?={SHOWN})"
NAME: Final = re.compile(rf"(?:{FLAG}|{SHOWN}{SELECTOR}?|{JOINER}|[{BLANK}])++")
AROUND: Final = re.compile(rf"^[{BLANK}]+|[{BLANK}]+$")
SPACES: Final = re.compile(rf"[{SPACE}]+")


def canonical(name: str) -> str:
    """The canonical spelling of the name: in NFC, without spaces around it, and with one space between words."""
    return AROUND.sub("", SPACES.sub(" ", normalize("NFC", name)))


def is_name(name: str) -> bool:
    """True for a valid name of a player: 1 to LONGEST characters, each allowed in its place, and one of
    them visible.
    """
    written = canonical(name)
    return 0 < len(written) <= LONGEST and NAME.fullmatch(written) is not None
