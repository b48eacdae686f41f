"""Take back what agents did: an event, a part of it, an older one, everything since.

    plan = review.take_back.plan(number, hunks)    # or plan_since(number); blocks, writes nothing
    outcome = await review.take_back.do(plan)      # writes exactly the plan, or nothing

``take_back``: these calls. ``plans``: what they return, and the call that writes it. ``planning``
makes plans: ``steps`` are the events by file, and what came later; ``file_tree`` the files as they
would be; ``text_lines`` are merged three ways.
"""
