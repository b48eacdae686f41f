"""How the project gets to people: what is generated, and what is built, for each channel.

Not part of the wheel. :mod:`channels.manifests` writes the manifests that lie in the repository,
:mod:`channels.artifacts` builds what a release attaches. docs/channels.md names all channels.
"""
