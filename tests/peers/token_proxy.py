"""A proxy that gives every request the token of a server, for clients that can't send headers of their own."""

import asyncio
import contextlib
import re


class TokenProxy:
    """Listens on a free port of loopback; Host and Origin go through as they are."""

    def __init__(self, address, token):
        self.host, port = address.rsplit(":", 1)
        self.port = int(port)
        self.header = f"Authorization: Bearer {token}\r\n".encode()

    @contextlib.asynccontextmanager
    async def listening(self):
        server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        async with server:
            yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _talk(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection(self.host, self.port)
        except OSError:
            writer.close()
            return
        ways = {asyncio.create_task(self._requests(reader, far_writer)), asyncio.create_task(self._answers(far_reader, writer))}
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for side in (writer, far_writer):
            side.close()

    async def _requests(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                line, rest = head.split(b"\r\n", 1)
                length = re.search(rb"(?im)^content-length:\s*(\d+)", rest)
                writer.write(line + b"\r\n" + self.header + rest)
                if length:
                    writer.write(await reader.readexactly(int(length[1])))
                await writer.drain()

    @staticmethod
    async def _answers(reader, writer):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
