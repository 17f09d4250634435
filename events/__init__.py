"""The event-sourced engine: it records what happens in games, and answers from what is recorded."""
