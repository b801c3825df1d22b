//! The clients that one server tells apart, so that each drives its own sessions. Uses nothing of this crate.

/// Who a session belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Client {
    /// The one client of a server on stdin and stdout, or the command line.
    #[default]
    Only,
    /// A client with a session of the protocol, by that session's id: nobody else knows it.
    Connected(String),
    /// A client that only says with each request what it is called. Others may say the same, so it is never guessed
    /// which session it means.
    Named(String),
}

impl Client {
    /// Whether nobody else can be taken for it.
    pub fn is_told_apart(&self) -> bool {
        !matches!(self, Self::Named(_))
    }
}
