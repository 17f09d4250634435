"""Parts that each process needs: `adapters` says where things are kept, `bootstrap` makes an engine of the settings."""
