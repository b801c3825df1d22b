//! Which links may be opened. Pure.
//!
//! Web pages and the schemes of apps may; what makes the device itself call, pay, install, send or read files may
//! not, unless `SIMDRIVE_URL_SCHEMES` names it. That list, where it is set, is all that may.

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

/// The schemes that `SIMDRIVE_URL_SCHEMES` names, parted by commas; `None` where it is not set.
pub fn allowed() -> Option<Vec<String>> {
    let named = std::env::var("SIMDRIVE_URL_SCHEMES").ok()?;
    Some(named.split(',').map(|name| name.trim().to_ascii_lowercase()).filter(|n| !n.is_empty()).collect())
}

/// The scheme of an address.
///
/// # Errors
/// It has none, or one that may not be opened; in words.
pub fn check(url: &str, allowed: Option<&[String]>) -> Result<(), String> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !valid || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(format!("`url` must be an address with a scheme; got {url:?}"));
    }
    let scheme = scheme.to_ascii_lowercase();
    match allowed {
        Some(named) if named.contains(&scheme) => Ok(()),
        Some(named) => {
            let all = named.join(", ");
            Err(format!("`{scheme}:` is not among the schemes that SIMDRIVE_URL_SCHEMES names: {all}"))
        }
        None if REFUSED.contains(&scheme.as_str()) => Err(format!(
            "`{scheme}:` is answered by the system itself; name it in SIMDRIVE_URL_SCHEMES to open it"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_apps_open_and_what_acts_on_the_device_does_not() {
        for url in ["https://example.com/a?b=c", "HTTP://x", "demo://controls", "com.example.shop:cart"] {
            assert_eq!(check(url, None), Ok(()), "{url}");
        }
        for url in ["tel:112", "FILE:///etc/passwd", "javascript:alert(1)", "itms-services://x"] {
            assert!(check(url, None).unwrap_err().contains("SIMDRIVE_URL_SCHEMES"), "{url}");
        }
        for url in ["", "no address", "://x", "1a:b", "ht tp://x", "a:b c", "demo:\n"] {
            assert!(check(url, None).unwrap_err().contains("must be an address"), "{url}");
        }
        let only = ["demo".to_owned(), "tel".to_owned()];
        assert_eq!((check("demo:x", Some(&only)), check("tel:1", Some(&only))), (Ok(()), Ok(())));
        assert!(check("https://x", Some(&only)).unwrap_err().contains("demo, tel"));
    }
}
