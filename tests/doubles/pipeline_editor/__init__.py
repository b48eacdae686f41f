"""A Unity Editor with its Pipeline package, for tests: real HTTP, a descriptor, an editor's life.

It speaks four dialects, is held to ``contracts/pipeline/``, and keeps a log of what it really did.
"""

from pipeline_editor.editor import PipelineEditor

__all__ = ["PipelineEditor"]
