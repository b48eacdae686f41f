"""Take back what agents did: one event, some of its changes, or everything since an event.

    plan = review.take_back.plan(number, hunks)    # or plan_since(number); blocks, writes nothing
    outcome = await review.take_back.do(plan)      # writes exactly the plan, or nothing

``take_back``: these calls. ``plans``: the plan as a value, and the tool call that writes it.
``planner`` makes plans. ``steps`` are the events by file, and the later steps of a file.
``file_tree``: the files as they would be. ``text_lines``: lines and their three-way merge.
"""
