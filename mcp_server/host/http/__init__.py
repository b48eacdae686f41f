"""Every route in one application, behind one guard, with bounds on what a connection may cost.

``http_host``: the application. ``loopback_guard``: refuses foreign requests. ``request_bodies``:
whole bodies, and JSON-RPC messages. ``connections``: deadlines and caps; ``body_turns``: large
bodies in turn. ``steady_accept``: a listening socket that outlives failed accepts.
"""
