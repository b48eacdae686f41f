"""Where Unity keeps names: each module handles some rows of the table in docs/design/assets.md.

May import everything here but ``assets``. A rule gets one place that has the word, and says
whether it is the symbol's: a ``Place``, with the edits that rename it, or nothing.

- ``place``: a place, what reaches it, and what a rule is given.
- ``in_yaml``: every place of the word in a YAML file, asked of each rule.
- ``keys``: serialized fields, default references, importers' settings.
- ``overrides``: property paths of prefab instances, presets and animations.
- ``calls``: methods of UnityEvents and of animation events.
- ``type_names``: types in UnityEvents, managed references and overrides.
- ``markup``: UXML, and ``link.xml``.
- ``other_texts``: shaders, input actions, native code, style sheets.
- ``input_messages``: the messages that a ``PlayerInput`` sends.
"""
