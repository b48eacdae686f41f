"""Take back what agents did: an event, a part of it, an older one, everything since.

    plan = review.take_back.plan(number, hunks)    # or plan_since(number); blocks, writes nothing
    outcome = await review.take_back.do(plan)      # writes exactly the plan, or nothing

``take_back``: these calls. ``plans``: what they return. ``planning`` makes plans: ``steps`` are the
events by file, ``file_tree`` the files as they would be, ``standing`` what came later.
``three_way_merge`` merges ``text_lines``. ``put_texts``: the call that writes a plan.
"""
