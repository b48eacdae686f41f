"""LSP with servers that may break it: ``connection`` is one initialized server,
``answering_client`` and ``tolerant_protocol`` adapt pygls, ``uris`` compares URIs.
"""
