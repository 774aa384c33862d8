"""Live games: the games that are being played, turn by turn, for spectators.

=============  ======================================================================================
`publisher`    in a worker: a thread looks at the game that is being played, and sends what is new
`writer`       in the coordinator: a thread that writes what arrives into the live store
`reader`       `LiveGames`: what servers read there
=============  ======================================================================================

The executor carries the messages between them (`engine.jobs.Observation`).

All of it is best effort: whatever happens here, it neither slows a game down nor changes or loses a result.
Of many short games only some are published, each of them from its first turn to its last.

How a server uses it::

    live = LiveGames(storage.open_live())          # also before the first game
    while True:
        if live.has_changed():                     # cheap, so call it often
            for game in live.games():
                replay = replays.setdefault(game.id, Replay.follow(game.header))
                for turn in live.turns(game.id, after=len(replay)):
                    replay.append(turn.line)

Show live games only if nothing is held back: see `botequim.storage.visibility`.
"""

from botequim.cup.live.reader import LiveGames as LiveGames
from botequim.cup.live.reader import NextSeries as NextSeries
from botequim.storage.values import LiveGame as LiveGame
from botequim.storage.values import LiveTurn as LiveTurn
