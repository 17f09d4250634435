"""For researchers, outside the service: the games as environments of other projects, and the training of the nets.

See docs/how-to/use-the-research-environments.md and docs/how-to/train-the-net.md.
"""
