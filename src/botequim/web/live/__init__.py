"""What can be seen of a cup just now: read from its files, counted, drawn, and told to all who look on.

A request reaches nothing here but `ServedCup.public` (`live.public`), which holds what everybody may see.
"""
