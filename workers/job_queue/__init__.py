"""Jobs by RQ: put in line, fetched, carried out, forgotten."""
