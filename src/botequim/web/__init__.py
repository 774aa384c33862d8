"""`botequim serve`: cups on the big screen and on phones.

A `House` holds the cups that are served; each is a `Hosted` cup, which reads what its coordinator and its
organiser wrote and knows what the public may see of it (`botequim.cup.curtain`). Pages and the API show that
and nothing else. Nothing here plays: a server reads, and writes what organisers and voters decide.

`door`      connections, certificates, limits: before anything is answered
`pages`     what people open
`contests`  votes, and the organiser's desk for them
`api`       the same for programs
`making`    what takes long, in processes of its own
`live`      what can be seen of a cup just now, and who looks on

`app` puts them together. What stands beside them they share: words, templates and texts in two languages.
"""
