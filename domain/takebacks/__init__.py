"""Moves taken back, beside the games and the same in all of them: which one can be, who has asked, and who agrees."""
