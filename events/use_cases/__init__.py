"""What the service and the workers may ask for: one module for each family of use-cases."""
