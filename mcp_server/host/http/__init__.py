"""Every route in one application, behind one guard, with limits on what a connection may cost.

``http_host``: the application. ``loopback_guard`` refuses foreign requests. ``request_bodies``:
whole bodies, and JSON-RPC messages. ``connections``: deadlines and limits. ``body_turns`` reads
large bodies in turn. ``steady_accept``: a listening socket that survives failed accepts.
"""
