"""The project's files: which there are, their GUIDs, and which words each has.

May import nothing but ``results``. A file is read whole once, and again when its size or times
change. What was found is kept by the hash of the content.

- ``project_files``: the files that may have names, and the packages outside.
- ``contents``: what a file's bytes are, and the words in them.
- ``kept``: what was found, on disk.
- ``project_index``: all of it, put together: files by word, and by GUID.
"""
