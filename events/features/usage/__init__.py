"""Usage: what each app has used on each day, counted once each from the feed and from answers; quotas."""
