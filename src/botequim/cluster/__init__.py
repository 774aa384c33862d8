"""Several machines that play the games of one coordinator, connected by Dask.

`credentials` and `addresses` decide who may connect, `settings` configures Dask, and `extra` says how to
install it. It depends on core, bots, engine, records, registry and sandbox; only the command line imports it.
"""
