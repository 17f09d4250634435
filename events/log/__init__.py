"""What is recorded and what ties it together: envelopes, the chain, seeds, signatures, the export format. Pure."""
