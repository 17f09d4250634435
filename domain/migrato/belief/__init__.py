# compiled into rules
"""Knowledge of a seat: of hidden cards, of events that may have happened, of whole games as they may be."""
