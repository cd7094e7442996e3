"""What is asked without a gate, as data: how a document was read, whether it can be true, a metric.

The terminal and the page (`crosscheck serve`) are two views of the same answers.
"""
