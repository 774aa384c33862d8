"""Contests of art and creativity: the public votes for entrants of a cup.

===============  ==========================================================================================
``contest``      `Contest`: what is asked, of whom, about which entrants; `ballot_of` checks a vote
``codes``        one-time codes, as people type and scan them
``tally``        `tally(contest, ballots)`: who has won, and why
``keeping``      `Contests(show)`: all of it in the cup's `show.sqlite`, votes in one transaction
``gallery``      what entrants drew and said in public games
===============  ==========================================================================================

A ballot is kept apart from the code or the browser that it came with: that somebody voted is known, and what
was voted, but not what somebody voted.
"""
