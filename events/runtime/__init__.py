"""Parts that each process needs: `adapters` says where things are kept, `bootstrap` wires the rooms."""
