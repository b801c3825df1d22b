//! The open sessions of one server. Uses `session`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::open::settle;
use super::{Ended, KeptSessions, Session, SessionError, SessionStart};
use crate::device::Selector;

/// The most sessions at a time.
const MOST: usize = 16;

/// Open sessions by name: `s1`, `s2`, …
#[derive(Default)]
pub struct Sessions {
    open: Mutex<BTreeMap<String, Arc<Session>>>,
    next: AtomicU32,
    kept: Option<KeptSessions>,
}

impl Sessions {
    /// Sessions that can be gone on with after this server was killed.
    pub fn keeping(kept: KeptSessions) -> Self {
        Self { kept: Some(kept), ..Self::default() }
    }

    /// Starts a session and names it. A device has one session: another is refused, or ended where
    /// `replace_existing` says so.
    ///
    /// # Errors
    /// As [`Session::start`], and a device that is taken.
    pub async fn start(
        &self,
        mut start: SessionStart,
        replace_existing: bool,
    ) -> Result<(String, Arc<Session>), SessionError> {
        start.selector = settle(start.selector).await?;
        self.has_room()?;
        if let Some((id, taken)) = self.on_device(&start.selector) {
            if !replace_existing {
                let device = taken.description().selector.clone();
                return Err(SessionError::DeviceTaken { device, id });
            }
            self.end(Some(&id), true).await?;
        }
        let session = Session::start(start).await?;
        let id = self.keep(&session).await;
        self.locked().insert(id.clone(), session.clone());
        Ok((id, session))
    }

    /// Goes on with a session whose server was killed; one that is open here is given as it is.
    ///
    /// # Errors
    /// As [`Session::start`], and a session that was not left behind.
    pub async fn attach(&self, id: &str) -> Result<Arc<Session>, SessionError> {
        if let Some(open) = self.locked().get(id) {
            return Ok(open.clone());
        }
        self.has_room()?;
        let none = || SessionError::NotLeft { id: id.to_owned(), left: Vec::new() };
        let (kept, facts) = self.kept.as_ref().ok_or_else(none)?.reopen(id)?;
        let start = SessionStart::again(facts)?;
        if let Some((id, taken)) = self.on_device(&start.selector) {
            return Err(SessionError::DeviceTaken { device: taken.description().selector.clone(), id });
        }
        let session = Session::start(start).await?;
        if let Err(error) = kept.note_app(session.app().and_then(|app| app.pid)) {
            tracing::warn!("the session's file can't be written: {error}");
        }
        session.keep(kept);
        self.locked().insert(id.to_owned(), session.clone());
        Ok(session)
    }

    /// Sessions that killed servers left behind: names and devices.
    pub fn left(&self) -> Vec<(String, String)> {
        self.kept.as_ref().map(KeptSessions::left).unwrap_or_default()
    }

    /// A name, under which the session is kept. Where it can't be kept it is served all the same.
    async fn keep(&self, session: &Session) -> String {
        if let Some(sessions) = self.kept.clone() {
            let facts = session.facts();
            match tokio::task::spawn_blocking(move || sessions.keep(facts)).await {
                Ok(Ok((id, kept))) => {
                    session.keep(kept);
                    return id;
                }
                Ok(Err(error)) => tracing::warn!("the session can't be kept: {error}"),
                Err(broken) => tracing::warn!("the session was not kept: {broken}"),
            }
        }
        loop {
            let id = format!("s{}", self.next.fetch_add(1, Ordering::Relaxed) + 1);
            if !self.locked().contains_key(&id) {
                return id;
            }
        }
    }

    fn has_room(&self) -> Result<(), SessionError> {
        if self.locked().len() >= MOST { Err(SessionError::TooMany(MOST)) } else { Ok(()) }
    }

    /// The session of this name; without one the only session there is.
    ///
    /// # Errors
    /// There is none, or several and none was named.
    pub fn get(&self, id: Option<&str>) -> Result<(String, Arc<Session>), SessionError> {
        let open = self.locked();
        let names = || open.keys().cloned().collect();
        match id {
            Some(id) => match open.get(id) {
                Some(session) => Ok((id.to_owned(), session.clone())),
                None if open.is_empty() => Err(SessionError::NoneOpen),
                None => Err(SessionError::Unknown { id: id.to_owned(), open: names() }),
            },
            None => match open.iter().next() {
                Some((id, session)) if open.len() == 1 => Ok((id.clone(), session.clone())),
                Some(_) => Err(SessionError::SayWhich { open: names() }),
                None => Err(SessionError::NoneOpen),
            },
        }
    }

    pub fn all(&self) -> Vec<(String, Arc<Session>)> {
        self.locked().iter().map(|(id, session)| (id.clone(), session.clone())).collect()
    }

    /// Ends one session.
    ///
    /// # Errors
    /// It is not there, or its recording could not be finished; the session is ended all the same.
    pub async fn end(&self, id: Option<&str>, terminate_app: bool) -> Result<(String, Ended), SessionError> {
        let (id, session) = self.get(id)?;
        self.locked().remove(&id);
        session.end(terminate_app).await.map(|ended| (id, ended))
    }

    /// Ends all, recordings finished, apps left as they are. A device that doesn't answer keeps no other waiting.
    pub async fn close(&self) {
        let mut ending = tokio::task::JoinSet::new();
        for (id, session) in std::mem::take(&mut *self.locked()) {
            ending.spawn(async move {
                if let Err(error) = session.end(false).await {
                    tracing::warn!(session = id, "ending the session: {error}");
                }
            });
        }
        ending.join_all().await;
    }

    /// The session on a device that somebody else started, unless every session gets its own.
    fn on_device(&self, selector: &Selector) -> Option<(String, Arc<Session>)> {
        if selector.gives_each_its_own() {
            return None;
        }
        let name = selector.to_string();
        self.all().into_iter().find(|(_, session)| session.description().selector == name)
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
