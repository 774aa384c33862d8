"""Contests of art and creativity: public votes for entrants of a cup.

===============  ==========================================================================================
``contest``      `Contest`: the title, who may vote, and which entrants; `Contest.ballot` checks a vote
``codes``        one-time codes, as people type and scan them
``tally``        `tally(contest, ballots)`: the result, with its reasons
``contests``     `Contests(store)`: the contests of a cup, and the rules of voting
``gallery``      the art and the remarks of entrants in public games
===============  ==========================================================================================

A ballot is stored without a relation to its code or browser. So it is known which codes were used and which
ballots were cast, but not which belong together.
"""
