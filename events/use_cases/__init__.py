"""Use-cases of the service and the workers: one module for each family of use-cases."""
