"""Usage: what each app has used on each day, counted once from the feed and from answers; and quotas."""
