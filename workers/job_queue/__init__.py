"""Jobs by RQ: queued, fetched, carried out, removed."""
