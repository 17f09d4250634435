"""Forms that many documents share: fields, members, queries, events; and the parts that a game supplies."""
