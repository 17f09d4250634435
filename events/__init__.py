"""Everything between the games and the world: what is recorded, use-cases, adapters of Redis and the archive, audit."""
