"""Every course that the protocol can take, with several clients, crashes, duplicates and lost replies.

A client is a small machine: it asks, loses the reply or gets it, touches the data once if its call started the grant,
commits, crashes at any moment and comes back with nothing but its key. Messages stay in the network after they were
delivered, so every one may arrive again later. The store runs the real `transition`, one message at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dpcompose.ledger.errors import LedgerError
from dpcompose.ledger.protocol import Act, Balance, DoesNotFit, Effect, Seen, State, transition

COST = 2
SPEND = (Act.RESERVE, Act.START)


class Message(NamedTuple):
    key: str
    token: int
    acts: tuple[Act, ...]


class Record(NamedTuple):
    """What the store keeps under a key."""

    state: State | None = None
    what: str | None = None
    starter: int = 0
    debits: int = 0


class Client(NamedTuple):
    doing: str = "idle"
    life: int = 0
    """How often it has crashed; with its number, this is the token of its calls."""


class World(NamedTuple):
    used: int
    records: tuple[Record, ...]
    clients: tuple[Client, ...]
    network: frozenset[Message]
    touches: tuple[int, ...]
    """How often the data was touched under each key."""
    crashes: int = 0


class Broken(AssertionError):
    """A course on which a promise is broken."""


Step = Callable[..., Effect]


class Explorer:
    """Walks through all worlds; `step` is the protocol, the real one unless a test breaks it."""

    def __init__(
        self, keys: tuple[str, ...], whats: tuple[str, ...], cap: int, step: Step = transition, crashes: int = 1
    ) -> None:
        self.keys, self.whats, self.cap, self.step, self.crashes = keys, whats, cap, step, crashes
        self.names = tuple(sorted(set(keys)))

    def explore(self) -> tuple[int, int]:
        """The number of worlds, and of steps between them."""
        n = len(self.names)
        first = World(0, (Record(),) * n, (Client(),) * len(self.keys), frozenset(), (0,) * n)
        seen, waiting, steps = {first}, deque([first]), 0
        while waiting:
            world = waiting.popleft()
            for after in self.courses(world):
                steps += 1
                if after not in seen:
                    self.check(after)
                    seen.add(after)
                    waiting.append(after)
        return len(seen), steps

    def courses(self, world: World) -> Iterator[World]:
        for i, client in enumerate(world.clients):
            yield from self.client_moves(world, i, client)
            if client.doing != "idle" and world.crashes < self.crashes:
                yield self.put(world._replace(crashes=world.crashes + 1), i, Client("idle", client.life + 1))
        for message in world.network:
            yield self.delivered(world, message)[0]  # once more, and nobody waits for the reply
        for key in self.names:  # an operator may always try to cancel what hangs
            yield self.delivered(world, Message(key, 0, (Act.CANCEL,)))[0]

    def client_moves(self, world: World, i: int, client: Client) -> Iterator[World]:
        key, token = self.keys[i], self.token(i, client)
        if client.doing == "idle":
            for acts, doing in ((SPEND, "spending"), ((Act.RESERVE,), "reserving")):
                sent = world._replace(network=world.network | {Message(key, token, acts)})
                yield self.put(sent, i, client._replace(doing=doing))
        elif client.doing in {"spending", "reserving", "starting"}:
            acts = {"spending": SPEND, "reserving": (Act.RESERVE,), "starting": (Act.START,)}[client.doing]
            yield self.asked(world, i, client, Message(key, token, acts))
        elif client.doing == "running":
            touched = self.names.index(key)
            touches = tuple(n + (j == touched) for j, n in enumerate(world.touches))
            yield self.put(world._replace(touches=touches), i, client._replace(doing="finishing"))
            yield self.put(world, i, client._replace(doing="giving up"))
        elif client.doing in {"finishing", "giving up"}:
            act = Act.COMMIT if client.doing == "finishing" else Act.ABANDON
            after, _ = self.delivered(world, Message(key, token, (act,)))
            yield self.put(after, i, client._replace(doing="done"))

    def token(self, i: int, client: Client) -> int:
        return 1 + i + client.life * len(self.keys)

    def asked(self, world: World, i: int, client: Client, message: Message) -> World:
        """The message arrives and its reply, too; that the reply is lost is the course on which it is sent again."""
        after, state = self.delivered(world, message)
        record = after.records[self.names.index(message.key)]
        if state is None:
            return self.put(after, i, client._replace(doing="done"))
        if state is State.RESERVED:
            return self.put(after, i, client._replace(doing="starting"))
        mine = state is State.STARTED and record.starter == self.token(i, client)
        return self.put(after, i, client._replace(doing="running" if mine else "done"))

    def delivered(self, world: World, message: Message) -> tuple[World, State | None]:
        """The store's transaction."""
        place = self.names.index(message.key)
        record, what = world.records[place], self.whats[place]
        seen = Seen(record.state, record.what, ((Balance(self.cap, world.used),),))
        try:
            effect = self.step(seen, message.acts, what, ((COST,),), message.key)
        except (LedgerError, DoesNotFit):
            return world, None
        starter = message.token if Act.START in effect.acts else record.starter
        kept = Record(effect.state, what, starter, record.debits + (effect.sign > 0))
        records = tuple(kept if j == place else r for j, r in enumerate(world.records))
        return world._replace(records=records, used=world.used + effect.sign * COST), effect.state

    @staticmethod
    def put(world: World, i: int, client: Client) -> World:
        return world._replace(clients=tuple(client if j == i else c for j, c in enumerate(world.clients)))

    def check(self, world: World) -> None:
        """What must hold in every world."""
        charged = sum(COST for r in world.records if r.state is not None and r.state.charged)
        if world.used > self.cap:
            raise Broken(f"overspent: {world}")
        if world.used != charged:
            raise Broken(f"the balance is not the log's: {world}")
        for record, touches in zip(world.records, world.touches, strict=True):
            if record.debits > 1:
                raise Broken(f"charged twice: {world}")
            if touches > 1:
                raise Broken(f"released twice on one charge: {world}")
            if touches and record.state not in {State.STARTED, State.COMMITTED, State.ABANDONED}:
                raise Broken(f"data touched without a charge that stands: {world}")
