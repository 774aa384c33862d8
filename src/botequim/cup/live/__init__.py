"""The games under way, turn by turn, for whoever looks on.

=============  ======================================================================================
`telling`      in a worker: a thread looks now and then at the game being played, and posts what is new
`post`         how that comes to the coordinator: datagrams, which nobody waits for for long
`broadcast`    in the coordinator: a thread that writes what comes into `live.sqlite`
`reading`      `Live`: what servers read there
`following`    `Following`: the positions of such a game, turn by turn
=============  ======================================================================================

All of it is best effort: whatever happens here, play is not slowed down and no result is changed or lost. Of
many short games that go by only some are told, those from their first turn to their last.

How a server uses it::

    live = Live.open(home.live)                    # also before the first game, it waits for the file
    while True:
        if live.changed():                         # asked as often as one likes
            for game in live.games():
                following = known.setdefault(game.id, Following(game.header))
                for turn in live.turns(game.id, after=following.number):
                    step = following.take(turn.line)
                    scene = scene_of(following.game, following.options, following.seats, step)

Only what is public may be shown of it: see `botequim.cup.curtain`.
"""

from botequim.cup.live.following import Following as Following
from botequim.cup.live.reading import Live as Live
from botequim.cup.live.reading import LiveGame as LiveGame
from botequim.cup.live.reading import LiveTurn as LiveTurn
from botequim.cup.live.reading import NextSeries as NextSeries
from botequim.cup.live.reading import StageState as StageState
