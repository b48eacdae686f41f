"""The ``/unity`` wire protocol and the Unity package that speaks it.

May import no other package of this project. Nothing is implemented here yet.
"""
