"""Contests of art and creativity: the public votes for entrants of a cup.

===============  ==========================================================================================
``contest``      `Contest`: the title, who may vote, and which entrants; `Contest.ballot` checks a vote
``codes``        one-time codes, as people type and scan them
``tally``        `tally(contest, ballots)`: who has won, and why
``contests``     `Contests(store)`: the contests of a cup, and the rules of voting
``gallery``      what entrants drew and said in public games
===============  ==========================================================================================

A ballot has no relation to the code or browser that it came with: it is known who voted and what was voted,
but not who voted what.
"""
