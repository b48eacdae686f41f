"""The road to the Unity Editor: an Editor link, and the two roads that are one.

May import no other package of this project. ``plugin`` is the road by our own package, ``pipeline``
the one by Unity's. The rest of the server knows ``link.EditorLink`` and nothing of either wire.
"""
