"""Find the compilers and runtimes on this machine, pair them, and fetch a pair.

Loads no runtime. ``candidates`` lists every toolchain and why it was not taken; ``pairing`` finds
the runtime for a compiler; ``judging_compiler`` compares it with Unity's; ``machine`` has all facts
about a machine; ``install``, ``packages`` and ``pythonnet_cache`` fill the cache.
"""
