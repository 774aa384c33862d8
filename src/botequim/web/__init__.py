"""`botequim serve`: cups on the big screen and on phones.

A `House` holds the cups that are served; each is a `Hosted` cup, which reads what its coordinator and its
organiser wrote and knows what the public may see of it (`botequim.cup.curtain`). Pages and the API show that
and nothing else. Nothing here plays: a server reads, and writes what organisers and voters decide.
"""
