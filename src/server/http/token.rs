//! The bearer token: the user's own, else one that is made on the first start. It is never printed.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::HttpOptions;
use crate::home::home;
use crate::operation::OperationError;

const VARIABLE: &str = "SIMDRIVE_TOKEN";
/// Bytes of a token that is made.
const MADE: usize = 32;
/// The shortest token that other machines may try to guess, in characters.
const SHORTEST_REMOTE: usize = 16;
/// What a token file may hold at most, in bytes.
const LONGEST: u64 = 4096;

/// What a token has to match, without the token itself.
pub struct Token {
    digest: [u8; 32],
    source: Source,
}

/// Where a token came from.
enum Source {
    Environment,
    File(PathBuf),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Environment => write!(f, "the token is that of {VARIABLE}"),
            Source::File(path) => write!(f, "the token is in {}", path.display()),
        }
    }
}

impl Token {
    /// # Errors
    /// There is none where there should be one, it can't be sent, others can read it, or it is guessed too easily.
    pub fn obtain(options: &HttpOptions) -> Result<Self, OperationError> {
        let (text, source) = match (&options.token_file, of_environment()) {
            (Some(file), _) => (read(file)?, Source::File(file.clone())),
            (None, Some(text)) => (text, Source::Environment),
            (None, None) => {
                let file = home().join("token");
                (kept_or_made(&file)?, Source::File(file))
            }
        };
        let said = match &source {
            Source::Environment => format!("the token of {VARIABLE}"),
            Source::File(path) => format!("the token in {}", path.display()),
        };
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("{said} is empty, or holds what a header can't carry");
            return Err(OperationError::invalid(message).with_hint("use letters, digits and signs of ASCII"));
        }
        if options.is_remote() && text.len() < SHORTEST_REMOTE {
            let message = format!("{said} is too short for a server that other machines reach");
            return Err(OperationError::invalid(message)
                .with_hint(format!("use {SHORTEST_REMOTE} characters or more, chosen at random")));
        }
        Ok(Self { digest: Sha256::digest(text).into(), source })
    }

    /// Whether an `Authorization` header carries it. How long that takes tells nothing of the token.
    pub fn is_in(&self, header: &[u8]) -> bool {
        let Some((scheme, given)) = header.split_at_checked("Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && self.is(given)
    }

    /// Whether this is it, blanks around it apart. How long that takes tells nothing of the token.
    pub fn is(&self, given: &[u8]) -> bool {
        let given: [u8; 32] = Sha256::digest(given.trim_ascii()).into();
        bool::from(self.digest.ct_eq(&given))
    }
}

/// `SIMDRIVE_TOKEN`.
pub fn of_environment() -> Option<String> {
    std::env::var_os(VARIABLE).map(|text| text.to_string_lossy().trim().to_owned()).filter(|t| !t.is_empty())
}

fn read(file: &Path) -> Result<String, OperationError> {
    let refused = |why: String| OperationError::invalid(format!("the token file {} {why}", file.display()));
    let known = fs::metadata(file).map_err(|e| refused(format!("can't be read: {e}")))?;
    if !known.is_file() || known.len() > LONGEST {
        return Err(refused(format!("is no file with a token of at most {LONGEST} bytes")));
    }
    let text = fs::read_to_string(file).map_err(|e| refused(format!("can't be read: {e}")))?;
    Ok(text.trim().to_owned())
}

/// The token of an earlier start, else a new one that only its owner can read.
fn kept_or_made(file: &Path) -> Result<String, OperationError> {
    let refused = |e: io::Error| {
        OperationError::invalid(format!("the token file {} can't be made: {e}", file.display()))
            .with_hint(format!("pass --token-file, or set {VARIABLE}"))
    };
    if !file.exists() {
        make(file).map_err(refused)?;
    }
    let mode = fs::metadata(file).map_err(refused)?.permissions().mode();
    if mode & 0o077 != 0 {
        let message = format!("others can read the token file {}", file.display());
        return Err(OperationError::invalid(message)
            .with_hint("delete it, so that a new one is made at the next start; or `chmod 600` it"));
    }
    read(file)
}

/// Whole or not at all; one that another server makes at the same time is left as it is.
fn make(file: &Path) -> io::Result<()> {
    let mut bytes = [0; MADE];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // made with mode 0600
    let mut draft = tempfile::Builder::new().prefix(".token").tempfile_in(folder)?;
    writeln!(draft, "{}", URL_SAFE_NO_PAD.encode(bytes))?;
    draft.as_file().sync_all()?;
    match draft.persist_noclobber(file) {
        Ok(_) => Ok(()),
        Err(refused) if refused.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(refused) => Err(refused.error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_itself_is_let_in() {
        let token = Token { digest: Sha256::digest("open-sesame").into(), source: Source::Environment };
        assert!(token.is_in(b"Bearer open-sesame") && token.is_in(b"bearer  open-sesame "));
        for wrong in ["", "Bearer", "Bearer ", "open-sesame", "Basic open-sesame", "Bearer open-sesamE"] {
            assert!(!token.is_in(wrong.as_bytes()), "{wrong}");
        }
        assert!(!format!("{token}").contains("sesame"));
    }

    #[test]
    fn a_token_is_made_once_and_for_its_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("home/token");
        let made = kept_or_made(&file).unwrap();
        assert_eq!(made.len(), 43);
        assert_eq!(kept_or_made(&file).unwrap(), made);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(kept_or_made(&file).is_err());
    }
}
