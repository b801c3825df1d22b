//! The open sessions of one server, each of one of its clients. Uses `session`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::open::settle;
use super::{Client, Ended, KeptSessions, Session, SessionError, SessionStart};
use crate::device::Selector;

/// The most sessions at a time.
const MOST: usize = 16;

/// Open sessions by name (`s1`, `s2`, …), as one client may use them. Clones share the sessions.
#[derive(Clone, Default)]
pub struct Sessions {
    table: Arc<Mutex<Table>>,
    kept: Option<KeptSessions>,
    client: Client,
}

#[derive(Default)]
struct Table {
    open: BTreeMap<String, Entry>,
    /// Devices that are being opened, or are used without a session; embedded simulators have no name.
    held: BTreeMap<u32, Option<String>>,
    last_hold: u32,
    last_session: u32,
    closed: bool,
}

struct Entry {
    session: Arc<Session>,
    owner: Client,
    used: Instant,
}

/// A device that nobody else may open; let go of when dropped.
pub struct DeviceHold {
    table: Arc<Mutex<Table>>,
    number: u32,
}

impl Drop for DeviceHold {
    fn drop(&mut self) {
        locked(&self.table).held.remove(&self.number);
    }
}

/// A session that is ending: it keeps its device until it has, and is forgotten then.
struct Leaving<'s> {
    sessions: &'s Sessions,
    id: String,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.sessions.locked().open.remove(&self.id);
    }
}

impl Sessions {
    /// Sessions that can be gone on with after this server was killed.
    pub fn keeping(kept: KeptSessions) -> Self {
        Self { kept: Some(kept), ..Self::default() }
    }

    /// The same sessions, as this client may use them.
    pub fn of(&self, client: Client) -> Self {
        Self { client, ..self.clone() }
    }

    /// Starts a session and names it. A device has one session: another is refused, or ended where it is the same
    /// client's and `replace_existing` says so.
    ///
    /// # Errors
    /// As [`Session::start`], and a device that is taken.
    pub async fn start(
        &self,
        mut start: SessionStart,
        replace_existing: bool,
    ) -> Result<(String, Arc<Session>), SessionError> {
        start.selector = settle(start.selector).await?;
        if let Some(own) = self.own_on_device(&start.selector)? {
            if !replace_existing {
                return Err(SessionError::DeviceTaken { device: start.selector.to_string(), id: own });
            }
            self.end(Some(&own), true).await?;
        }
        let _hold = self.hold(&start.selector)?;
        let session = Session::start(start).await?;
        let id = self.keep(&session).await;
        self.enter(&id, &session).await?;
        Ok((id, session))
    }

    /// Goes on with a session whose server was killed; one that is open here is given as it is.
    ///
    /// # Errors
    /// As [`Session::start`], a session that was not left behind, and one of another client.
    pub async fn attach(&self, id: &str) -> Result<Arc<Session>, SessionError> {
        if self.locked().open.contains_key(id) {
            return self.get(Some(id)).map(|(_, session)| session);
        }
        let none = || SessionError::NotLeft { id: id.to_owned(), left: Vec::new() };
        let (kept, facts) = self.kept.as_ref().ok_or_else(none)?.reopen(id)?;
        let start = SessionStart::again(facts)?;
        if let Some(own) = self.own_on_device(&start.selector)? {
            return Err(SessionError::DeviceTaken { device: start.selector.to_string(), id: own });
        }
        let _hold = self.hold(&start.selector)?;
        let session = Session::start(start).await?;
        if let Err(error) = kept.note_app(session.app().and_then(|app| app.pid)) {
            tracing::warn!("the session's file can't be written: {error}");
        }
        session.keep(kept);
        self.enter(id, &session).await?;
        Ok(session)
    }

    /// Sessions that killed servers left behind: names and devices.
    pub fn left(&self) -> Vec<(String, String)> {
        self.kept.as_ref().map(KeptSessions::left).unwrap_or_default()
    }

    /// A device for use without a session of this table: no other client may have it, nor open it meanwhile.
    ///
    /// # Errors
    /// Another client has it, or it is being opened.
    pub async fn borrow(&self, selector: Selector) -> Result<DeviceHold, SessionError> {
        let selector = settle(selector).await?;
        self.own_on_device(&selector)?;
        self.hold(&selector)
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
        let mut table = self.locked();
        loop {
            table.last_session += 1;
            let id = format!("s{}", table.last_session);
            if !table.open.contains_key(&id) {
                return id;
            }
        }
    }

    async fn enter(&self, id: &str, session: &Arc<Session>) -> Result<(), SessionError> {
        let is_open = {
            let mut table = self.locked();
            if !table.closed {
                let (session, owner) = (session.clone(), self.client.clone());
                table.open.insert(id.to_owned(), Entry { session, owner, used: Instant::now() });
            }
            !table.closed
        };
        if is_open {
            return Ok(());
        }
        session.end(false).await?;
        Err(SessionError::Stopping)
    }

    fn hold(&self, selector: &Selector) -> Result<DeviceHold, SessionError> {
        let mut table = self.locked();
        if table.closed {
            return Err(SessionError::Stopping);
        }
        if table.open.len() + table.held.len() >= MOST {
            return Err(SessionError::TooMany(MOST));
        }
        let name = shared_name(selector);
        if let Some(name) = &name
            && table.held.values().flatten().any(|held| held == name)
        {
            return Err(SessionError::DeviceHeld(name.clone()));
        }
        table.last_hold = table.last_hold.wrapping_add(1);
        let number = table.last_hold;
        table.held.insert(number, name);
        Ok(DeviceHold { table: self.table.clone(), number })
    }

    /// The session of this name; without one the only session that this client has.
    ///
    /// # Errors
    /// There is none, it is another client's, or it is not clear which one is meant.
    pub fn get(&self, id: Option<&str>) -> Result<(String, Arc<Session>), SessionError> {
        let mut table = self.locked();
        let own = table.names_of(&self.client);
        let id = match (id, own.as_slice()) {
            (Some(id), _) => id.to_owned(),
            (None, []) => return Err(SessionError::NoneOpen),
            (None, [only]) if self.client.is_told_apart() => only.clone(),
            (None, [_]) => return Err(SessionError::NameIt { open: own }),
            (None, _) => return Err(SessionError::SayWhich { open: own }),
        };
        match table.open.get_mut(&id) {
            Some(entry) if entry.owner == self.client => {
                entry.used = Instant::now();
                Ok((id, entry.session.clone()))
            }
            Some(entry) => Err(busy(&id, entry)),
            None if own.is_empty() => Err(SessionError::NoneOpen),
            None => Err(SessionError::Unknown { id, open: own }),
        }
    }

    /// Whose these are.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The sessions of this client.
    pub fn all(&self) -> Vec<(String, Arc<Session>)> {
        let table = self.locked();
        let own = table.open.iter().filter(|(_, entry)| entry.owner == self.client);
        own.map(|(id, entry)| (id.clone(), entry.session.clone())).collect()
    }

    /// Those of all clients, for somebody who looks on: that is no use of them.
    pub fn of_everyone(&self) -> Vec<(String, Arc<Session>)> {
        self.locked().open.iter().map(|(id, entry)| (id.clone(), entry.session.clone())).collect()
    }

    /// Ends one session.
    ///
    /// # Errors
    /// It is not there, or its recording could not be finished; the session is ended all the same.
    pub async fn end(&self, id: Option<&str>, terminate_app: bool) -> Result<(String, Ended), SessionError> {
        let (id, session) = self.get(id)?;
        let _leaving = Leaving { sessions: self, id: id.clone() };
        session.end(terminate_app).await.map(|ended| (id, ended))
    }

    /// Ends the sessions of all clients, recordings finished, apps left as they are, and opens no more.
    pub async fn close(&self) {
        self.locked().closed = true;
        self.end_where(|_, _| true).await;
    }

    /// Ends the sessions, of whichever client, whose owner and idle time `is_over` takes. One that a call is working
    /// with is not idle. A device that doesn't answer keeps no other waiting.
    pub async fn end_where(&self, is_over: impl Fn(&Client, Duration) -> bool) {
        let over: Vec<(String, Arc<Session>)> = {
            let table = self.locked();
            let idle = |entry: &Entry| match Arc::strong_count(&entry.session) {
                0 | 1 => entry.used.elapsed(),
                _ => Duration::ZERO,
            };
            let over = table.open.iter().filter(|(_, entry)| is_over(&entry.owner, idle(entry)));
            over.map(|(id, entry)| (id.clone(), entry.session.clone())).collect()
        };
        let mut ending = tokio::task::JoinSet::new();
        for (id, session) in over {
            let sessions = self.clone();
            ending.spawn(async move {
                let _leaving = Leaving { sessions: &sessions, id: id.clone() };
                if let Err(error) = session.end(false).await {
                    tracing::warn!(session = id, "ending the session: {error}");
                }
            });
        }
        ending.join_all().await;
    }

    /// This client's own session on a device that somebody else started; an embedded simulator is always a new one.
    ///
    /// # Errors
    /// The session on it is another client's, or may be.
    fn own_on_device(&self, selector: &Selector) -> Result<Option<String>, SessionError> {
        let Some(name) = shared_name(selector) else { return Ok(None) };
        let table = self.locked();
        let there = table.open.iter().find(|(_, entry)| entry.session.description().selector == name);
        match there {
            Some((id, entry)) if entry.owner == self.client && self.client.is_told_apart() => {
                Ok(Some(id.clone()))
            }
            Some((id, entry)) => Err(busy(id, entry)),
            None => Ok(None),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Table> {
        locked(&self.table)
    }
}

impl Table {
    fn names_of(&self, client: &Client) -> Vec<String> {
        let own = self.open.iter().filter(|(_, entry)| entry.owner == *client);
        own.map(|(id, _)| id.clone()).collect()
    }
}

fn locked(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

fn busy(id: &str, entry: &Entry) -> SessionError {
    let device = entry.session.description().selector.clone();
    SessionError::DeviceBusy { device, id: id.to_owned() }
}

/// What a device is called that more than one session could open.
fn shared_name(selector: &Selector) -> Option<String> {
    (!selector.gives_each_its_own()).then(|| selector.to_string())
}
