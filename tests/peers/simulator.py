"""`simdrive sim` in a process of its own, and the calls of its control service that tests need."""

import contextlib
import json
import pathlib
import subprocess
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpclib.client import Channel, UnaryUnaryMethod

# src/device/idb/proto/control.proto, as far as it is used here: message -> fields (name, number, type)
FIELD = descriptor_pb2.FieldDescriptorProto
MESSAGES = {
    "AdvanceClockRequest": [("milliseconds", 1, FIELD.TYPE_UINT64)],
    "Clock": [("unix_milliseconds", 1, FIELD.TYPE_INT64)],
    "TouchesRequest": [("after", 1, FIELD.TYPE_UINT64)],
    "TouchRecord": [("sequence", 1, FIELD.TYPE_UINT64), ("x", 2, FIELD.TYPE_DOUBLE), ("y", 3, FIELD.TYPE_DOUBLE), ("up", 4, FIELD.TYPE_BOOL)],
    "TouchLog": [("touches", 1, "TouchRecord")],
}


def _messages():
    file = descriptor_pb2.FileDescriptorProto(name="control.proto", package="simdrive", syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            if isinstance(kind, str):
                message.field.add(name=field, number=number, type=FIELD.TYPE_MESSAGE, type_name=f".simdrive.{kind}", label=FIELD.LABEL_REPEATED)
            else:
                message.field.add(name=field, number=number, type=kind, label=FIELD.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"simdrive.{name}")) for name in MESSAGES}


TYPES = _messages()


class Simulator:
    """A running simulator: its selector, the touches that arrived, and its clock."""

    def __init__(self, path, channel):
        self.selector = f"idb+unix://{path}"
        self.channel = channel

    async def _call(self, name, request, answer, **fields):
        method = UnaryUnaryMethod(self.channel, f"/simdrive.SimulatorControl/{name}", TYPES[request], TYPES[answer])
        return await method(TYPES[request](**fields))

    async def touches(self):
        """How many fingers went down, moved or up so far."""
        return len(await self.touch_log())

    async def touch_log(self, after=0):
        """The fingers that went down, moved or up, but for the first so many."""
        return (await self._call("Touches", "TouchesRequest", "TouchLog", after=after)).touches

    async def advance(self, milliseconds):
        """Moves the clock on, unseen by whoever drives the simulator."""
        await self._call("AdvanceClock", "AdvanceClockRequest", "Clock", milliseconds=milliseconds)


@contextlib.asynccontextmanager
async def simulator(binary, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "sim.sock")
        process = subprocess.Popen([binary, "sim", "--socket", path, *flags], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        channel = Channel(path=path)
        try:
            json.loads(process.stdout.readline())
            yield Simulator(path, channel)
        finally:
            channel.close()
            process.terminate()
            process.wait(10)
