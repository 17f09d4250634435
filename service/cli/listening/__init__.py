"""`migrato listen`: an app's events, read by the API and sent to a developer's own server as webhooks."""
