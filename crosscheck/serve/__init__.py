"""`crosscheck serve`: a page for reviewers and an API beside it, safe to host.

The server itself only receives, queues and shows; whatever reads a stranger's bytes runs in a
process of its own (`work`), within bounds, and answers by JSON. docs/serve.md, docs/security.md.
"""
