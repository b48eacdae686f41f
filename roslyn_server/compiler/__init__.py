"""The Roslyn compiler in this process: loaded through pythonnet, with our C# beside it."""
