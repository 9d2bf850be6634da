"""What a reader is told, as blocks, and the renderers that turn blocks into a format.

``block`` has the blocks; ``text``, ``markdown``, ``latex`` and ``html`` are the renderers, a
function and a few lines each. A new format is a new renderer; whoever writes blocks knows none.
"""
