"""The requests to send instead of one that is refused for its shape.

``refusal`` is the refusal and its text. ``nearest`` makes the valid requests nearest to it,
``other_tool`` the change set for what ``edit_snippet`` can't take, ``last_change`` the undo of the
newest change. ``second_try`` puts the engine's offers in the place of one that it would refuse.
"""
