"""The bench: a stand-in for the Unity Editor, so that the Unity package runs without Unity.

Implements docs/design/unity-package.md §5. `stand_ins/` holds
assemblies with Unity's names and signatures, `host/` the Editor process around them; the Python
modules compile both and the package (`compiler`), find what that needs (`toolchains`), and drive
the process (`editor`).
"""
