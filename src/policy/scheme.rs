//! Which addresses may be opened at all. Uses nothing of this crate.
//!
//! Web pages and the schemes of apps may; what makes the device itself call, pay, install, send or read files may
//! not, unless `url_schemes` of the configuration names it. That list, where it is given, is all that may.

use super::Said;

/// Schemes that the system answers itself, with more than a page.
const REFUSED: [&str; 17] = [
    "about",
    "app-prefs",
    "app-settings",
    "data",
    "facetime",
    "facetime-audio",
    "file",
    "itms",
    "itms-apps",
    "itms-services",
    "javascript",
    "mailto",
    "prefs",
    "shortcuts",
    "sms",
    "tel",
    "x-apple-systempreferences",
];

/// Whether a scheme may be opened, whatever files say; `only` are all that may, where they are given.
///
/// # Errors
/// It may not; why, as the end of a sentence.
pub(super) fn check(scheme: &str, only: Option<&Said<Vec<String>>>) -> Result<(), String> {
    let scheme = scheme.to_ascii_lowercase();
    match only {
        Some(Said { value, .. }) if value.iter().any(|named| named.eq_ignore_ascii_case(&scheme)) => Ok(()),
        Some(Said { value, by }) => Err(format!("url_schemes ({by}) names others: {}", value.join(", "))),
        None if REFUSED.contains(&scheme.as_str()) => Err(
            "the system itself answers it, unless url_schemes of the user, or SIMDRIVE_URL_SCHEMES, names it"
                .to_owned(),
        ),
        None => Ok(()),
    }
}

/// The scheme of an address; `None` where it has none, or could be more than one line of an address.
pub fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    (valid && !url.chars().any(|c| c.is_whitespace() || c.is_control())).then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_apps_open_and_what_acts_on_the_device_does_not() {
        for url in ["https://example.com/a?b=c", "HTTP://x", "demo://controls", "com.example.shop:cart"] {
            assert_eq!(scheme(url).map(|scheme| check(scheme, None)), Some(Ok(())), "{url}");
        }
        for url in ["tel:112", "FILE:///etc/passwd", "javascript:alert(1)", "itms-services://x"] {
            assert!(check(scheme(url).unwrap(), None).unwrap_err().contains("SIMDRIVE_URL_SCHEMES"), "{url}");
        }
        for url in ["", "no address", "://x", "1a:b", "ht tp://x", "a:b c", "demo:\n", "demo:\u{1b}[2J"] {
            assert_eq!(scheme(url), None, "{url}");
        }
        let only = Said { value: vec!["Demo".to_owned(), "tel".to_owned()], by: "here".to_owned() };
        assert_eq!((check("demo", Some(&only)), check("TEL", Some(&only))), (Ok(()), Ok(())));
        assert_eq!(check("https", Some(&only)).unwrap_err(), "url_schemes (here) names others: Demo, tel");
    }
}
