"""A Redis Cluster of real servers on the loopback, for drills and tests: started, hurt, grown and ended."""
