"""The forms of all documents in requests and answers, as marshmallow schemas, which check them and describe them in
openapi.yaml.
"""
