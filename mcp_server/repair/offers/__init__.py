"""Make requests to send instead of one that is refused for its shape.

``refusal``: the refusal and its text. ``nearest_requests``: the nearest valid requests.
``other_tool``: a change set instead of an impossible edit. ``last_change``: the undo of the newest
change. ``second_try`` replaces an offer that the engine would refuse by the engine's own.
"""
