"""Live games: the games that are being played, turn by turn, for spectators.

=============  ======================================================================================
`publisher`    in a worker: a thread that sends the new turns of the current game
`writer`       in the coordinator: a thread that writes these turns into the live store
`reader`       `LiveGames`: in a server, reads the live store
=============  ======================================================================================

The executor carries the messages between them (`engine.jobs.Observation`).

All of it is best effort: no error here slows a game down, or changes or loses a result. Of many short games
only some are published, each of them from its first turn to its last.

A server uses it like this::

    live = LiveGames(storage.open_live())          # also before the first game
    while True:
        if live.has_changed():                     # cheap, so call it often
            for game in live.games():
                replay = replays.setdefault(game.id, Replay.follow(game.header))
                for turn in live.turns(game.id, after=len(replay)):
                    replay.append(turn.line)

Show live games only if all games are public: see `botequim.storage.visibility`.
"""

from botequim.cup.live.reader import LiveGames as LiveGames
from botequim.cup.live.reader import NextSeries as NextSeries
from botequim.storage.values import LiveGame as LiveGame
from botequim.storage.values import LiveTurn as LiveTurn
