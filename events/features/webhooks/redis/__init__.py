"""Apps' logs and webhooks in Redis; all keys of an app share a hash tag."""
