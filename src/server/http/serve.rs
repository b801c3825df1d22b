//! Listens, and stops in order: calls under way are answered, recordings finished, and only then are clients cut off.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::HttpOptions;
use super::guard::Guard;
use super::rate::Rate;
use super::site::Site;
use super::token::Token;
use super::viewer::Viewer;
use crate::device::process;
use crate::exit::Exit;
use crate::operation::{Context, OperationError};
use crate::server::{ANSWERING, stopped};

/// Connections at a time; others wait until one ends.
const CONNECTIONS: usize = 512;
/// Of one request.
const HEADERS: usize = 64;
/// Of one request, in bytes.
const HEADER_BYTES: usize = 16 * 1024;
/// How long a head may take to come in, and a connection may be silent between two requests.
const PATIENCE: Duration = Duration::from_secs(15);
/// Between two looks for sessions that are over.
const BETWEEN_LOOKS: Duration = Duration::from_secs(5);
/// After a connection could not be taken, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);
/// At the end many recordings may have to be finished, but nobody waits longer for it.
const CLOSING: Duration = Duration::from_secs(5);

/// Serves until a signal comes, then closes everything that is open.
///
/// # Errors
/// The options are not safe, there is no token to be had, or the address is not free.
pub async fn serve(context: Arc<Context>, options: HttpOptions) -> Result<Exit, OperationError> {
    options.check()?;
    let token = Token::obtain(&options)?;
    let refused = |e: std::io::Error| {
        OperationError::invalid(format!("can't listen on {}: {e}", options.address))
            .with_hint("choose another port with --http, or 0 for a free one")
    };
    let listener = TcpListener::bind(options.address).await.map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    let guard = Guard::new(&options, bound)?;
    eprintln!("simdrive serves MCP at http://{bound}/mcp, a page to look on at http://{bound}/; {token}");
    let (stopping, ended) = (CancellationToken::new(), CancellationToken::new());
    let viewer = Viewer::new(context.clone(), bound.port())?;
    let site = Arc::new(Site::new(
        context,
        guard,
        token,
        Rate::new(options.rate),
        options.idle,
        viewer,
        ended.clone(),
    ));
    let connections = TaskTracker::new();
    let exit = tokio::select! {
        exit = stopped() => exit,
        never = accept(listener, &site, &connections, &stopping) => match never {},
        never = look_for_what_is_over(&site) => match never {},
    };
    stopping.cancel();
    connections.close();
    // streams that clients listen to end later
    let _ = tokio::time::timeout(ANSWERING, connections.wait()).await;
    process::terminate_all();
    if tokio::time::timeout(CLOSING, site.close()).await.is_err() {
        tracing::warn!("sessions did not end within {} s", CLOSING.as_secs());
    }
    ended.cancel();
    Ok(exit)
}

async fn accept(
    listener: TcpListener,
    site: &Arc<Site>,
    connections: &TaskTracker,
    stopping: &CancellationToken,
) -> Infallible {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // it is never closed
        let Ok(place) = free.clone().acquire_owned().await else { continue };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let (site, stopping) = (site.clone(), stopping.clone());
                connections.spawn(async move {
                    talk(stream, peer.ip().to_canonical(), site, stopping).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!("a connection could not be taken: {error}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Serves one connection until it ends.
async fn talk(stream: TcpStream, peer: IpAddr, site: Arc<Site>, stopping: CancellationToken) {
    // answers are small and waited for
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%peer, "{error}");
    }
    let service = service_fn(|request| {
        let site = site.clone();
        async move { Ok::<_, Infallible>(site.answer(peer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_headers(HEADERS)
        .max_header_size(HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let end = tokio::select! {
        end = connection.as_mut() => end,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = end {
        site.broke_off(peer, &error);
    }
}

async fn look_for_what_is_over(site: &Site) -> Infallible {
    loop {
        tokio::time::sleep(BETWEEN_LOOKS).await;
        site.end_what_is_over().await;
    }
}
