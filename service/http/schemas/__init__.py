"""The shapes of all documents in and out, as marshmallow schemas: what is checked, and what openapi.yaml says."""
