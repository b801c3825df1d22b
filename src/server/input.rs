//! The client's messages, and the moment when there will be no more of them.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::CancellationToken;

/// A reader that says when it has come to its end.
pub struct Input<R> {
    reader: R,
    ended: CancellationToken,
}

impl<R> Input<R> {
    /// `ended` is cancelled at the end of `reader`.
    pub fn new(reader: R, ended: CancellationToken) -> Self {
        Self { reader, ended }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Input<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let polled = Pin::new(&mut self.reader).poll_read(cx, buffer);
        match &polled {
            Poll::Ready(Ok(())) if buffer.filled().len() == before && room > 0 => self.ended.cancel(),
            Poll::Ready(Err(_)) => self.ended.cancel(),
            _ => {}
        }
        polled
    }
}
