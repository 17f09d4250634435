"""The API described for programs and people: the OpenAPI document, the reference of events, the guide, their pages."""
