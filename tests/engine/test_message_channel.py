"""Messages of workers reach the coordinator whole, or not at all."""

from __future__ import annotations

from botequim.engine.message_channel import PART_BYTES, Receiver, Sender, message_channel


def test_messages_of_many_senders_are_put_together() -> None:
    out, into = message_channel()
    senders = [Sender(into), Sender(into)]
    receiver = Receiver(out)
    long = bytes(range(256)) * (PART_BYTES // 100)
    assert senders[0].send(long)
    assert senders[1].send(b"")
    assert [message for _, message in receiver.messages(1.0)] == [long, b""]
    into.setblocking(False)
    while senders[0].send(long):
        pass  # until there is no room in the middle of one
    whole = [message for _, message in receiver.messages(1.0)]
    assert set(whole) == {long}
    assert senders[0].send(b"again")
    assert [message for _, message in receiver.messages(1.0)] == [b"again"]
    out.close()
    into.close()
