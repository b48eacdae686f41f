"""An anchor that fits no place.

``anchor_not_found`` has the order of attempts, ``nearest`` the places most like it,
``refused_indentation`` one that fits with another indentation, ``paste_variants`` an instruction
without what a paste brought along.
"""
