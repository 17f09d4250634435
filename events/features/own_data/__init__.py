"""An app's own data about its games: stored beside the listing; no event has them."""
