//! What a page calls. Texts are UTF-8; the page writes them where [`take`] says and reads answers where [`give`] says.
//!
//! | call | does |
//! |---|---|
//! | `take(length)` | makes room for so many bytes, and returns where |
//! | `open()` | reads them as a page's data |
//! | `answer(ε, η, σ, R)` | answers for a setting; R = 0 is the radius 1 after the division of the rows |
//! | `give()` | where the text is that the last `open` or `answer` left |
//!
//! `open` and `answer` return the length of that text, an answer or nothing; or minus the length of a message of what went wrong.
#![expect(unsafe_code, reason = "names that the linker keeps; there is no unsafe block")]

use std::cell::RefCell;

use crate::{Live, LiveError, Setting};

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static LIVE: RefCell<Option<Live>> = const { RefCell::new(None) };
}

/// Makes room for a text.
#[unsafe(no_mangle)]
pub extern "C" fn take(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; length];
        text.as_mut_ptr()
    })
}

/// Where the last text is.
#[unsafe(no_mangle)]
pub extern "C" fn give() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

/// Reads the text as a page's data.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> isize {
    let page = TEXT.take();
    left(Live::new(&String::from_utf8_lossy(&page)).map(|live| {
        LIVE.set(Some(live));
        String::new()
    }))
}

/// Answers for a setting.
#[unsafe(no_mangle)]
pub extern "C" fn answer(poison_rate: f64, learning_rate: f64, regularization: f64, radius: f64) -> isize {
    let radius = Some(radius).filter(|radius| *radius != 0.0);
    let setting = Setting { poison_rate, learning_rate, regularization, radius };
    LIVE.with_borrow(|live| match live {
        Some(live) => left(live.answer(&setting).map(|answer| serde_json::json!(answer).to_string())),
        None => left(Ok(String::new())),
    })
}

/// Leaves a text for the page.
fn left(text: Result<String, LiveError>) -> isize {
    let (text, sign) = match text {
        Ok(text) => (text, 1),
        Err(error) => (error.to_string(), -1),
    };
    let length = sign * isize::try_from(text.len()).unwrap_or(0);
    TEXT.set(text.into_bytes());
    length
}
