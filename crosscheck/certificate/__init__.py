"""Certificates: who vouches for a report, when, for which bytes (docs/certificates.md).

A certificate is a folder: a copy of the report, a page and a PDF for people, RO-Crate metadata for
archives, and `certificate.json`, an in-toto Statement v1 about every other file in a DSSE envelope
signed with Ed25519. Dates live here and in no file of the report.
"""
