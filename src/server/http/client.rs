//! Which client a request is of. Uses `session`'s clients.

use hyper::header::HeaderName;
use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::session::Client;

/// Carries the id of a session of the protocol before 2026-07-28.
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// `None` where the request did not come over HTTP.
pub fn of(request: &RequestContext<RoleServer>) -> Option<Client> {
    let parts = request.extensions.get::<Parts>()?;
    let session = parts.headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
    // a request that brings its own protocol version has no session, whatever its header says: nobody checked that
    Some(match session.filter(|_| request.meta.protocol_version().is_none()) {
        Some(id) => Client::Connected(id.to_owned()),
        None => Client::Named(request.client_info().map(|client| client.name).unwrap_or_default()),
    })
}
