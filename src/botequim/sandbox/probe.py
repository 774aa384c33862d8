from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.core.messages import msg


def best():
    return Bubblewrap()


def why_not():
    return msg("x")
