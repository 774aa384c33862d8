"""`botequim serve`: cups on the big screen and on phones.

`ServedCups` contains the cups that are served. Each `ServedCup` reads what the coordinator and the organiser
of its cup wrote, and makes a `PublicSnapshot` of what the public may see (`storage.visibility`). Pages, the
API and events use only that snapshot. A server plays no games: it reads results, and writes what organisers
and voters decide.

`server`  connections, certificates, limits and languages of requests
`pages`   the pages of cups, games and entrants, and the organiser's page
`votes`   the pages of contests
`api`     the same content as JSON
`jobs`    rendering in separate processes
`live`    the current public state of a cup, and the event streams

`app` puts them together: start reading there. The modules beside it are shared: templates, filters, texts.
"""
