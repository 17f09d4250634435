"""Apps' logs, filled from the feed, and webhooks, sent by one process at a time, in which no receiver
delays another.
"""
