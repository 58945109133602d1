//! The newest figures for Prometheus, over HTTP.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use unswayed::monitor::{Limits, Update};

use crate::Stop;

/// Requests that are answered at the same time. More are turned away, so that slow clients cannot use up the machine.
const MOST_CLIENTS: usize = 16;

/// How long a client may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// A longer request is not read.
const LONGEST_REQUEST: usize = 8192;

/// What is served.
#[derive(Clone, Default)]
pub struct Facts {
    pub newest: Option<Update>,
    pub limits: Limits,
    pub rows: u64,
    pub skipped: u64,
    pub updates: u64,
    pub alarms: u64,
}

pub type Shared = Arc<Mutex<Facts>>;

/// Changes what is served.
pub fn set(facts: &Shared, change: impl FnOnce(&mut Facts)) {
    change(&mut facts.lock().unwrap_or_else(PoisonError::into_inner));
}

/// Serves until the program ends. Returns the address, whose port may have been left to the system.
pub fn serve(address: SocketAddr, is_public: bool, facts: &Shared) -> Result<SocketAddr, Stop> {
    if !address.ip().is_loopback() && !is_public {
        return Err(Stop(format!(
            "--metrics {address}: other machines can reach this address; use 127.0.0.1, or allow it with --metrics-public"
        )));
    }
    let failed = |error: std::io::Error| Stop(format!("--metrics {address}: cannot listen there ({error})"));
    let listener = TcpListener::bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let facts = facts.clone();
    std::thread::spawn(move || accept(&listener, &facts));
    Ok(bound)
}

fn accept(listener: &TcpListener, facts: &Shared) {
    let clients = Arc::new(AtomicUsize::new(0));
    for client in listener.incoming() {
        let Ok(client) = client else {
            // Too many open files, say: no reason to use up a core.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        if clients.fetch_add(1, Ordering::SeqCst) >= MOST_CLIENTS {
            clients.fetch_sub(1, Ordering::SeqCst);
            continue;
        }
        let (facts, busy) = (facts.clone(), clients.clone());
        let answering = std::thread::Builder::new().spawn(move || {
            // A client that goes away is no matter.
            let _ = answer(client, &facts);
            busy.fetch_sub(1, Ordering::SeqCst);
        });
        if answering.is_err() {
            clients.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn answer(mut client: TcpStream, facts: &Shared) -> std::io::Result<()> {
    client.set_write_timeout(Some(PATIENCE))?;
    let Some(request) = request(&mut client)? else { return Ok(()) };
    let mut words = request.split(' ');
    let (status, body) = match (words.next(), words.next()) {
        (Some("GET"), Some("/metrics")) => {
            let facts = facts.lock().unwrap_or_else(PoisonError::into_inner).clone();
            ("200 OK", text(&facts))
        }
        (Some("GET"), _) => ("404 Not Found", "the figures are at /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "GET /metrics\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    client.write_all((head + &body).as_bytes())
}

/// The first line of a request that came in time; none for one that did not, or is too long.
fn request(client: &mut TcpStream) -> std::io::Result<Option<String>> {
    let began = Instant::now();
    let (mut read, mut part) = (Vec::new(), [0; 1024]);
    while !read.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = PATIENCE.saturating_sub(began.elapsed());
        if left.is_zero() || read.len() > LONGEST_REQUEST {
            return Ok(None);
        }
        client.set_read_timeout(Some(left))?;
        match client.read(&mut part)? {
            0 => return Ok(None),
            length => read.extend(&part[..length]),
        }
    }
    let line = read.split(|&byte| byte == b'\r').next().unwrap_or_default();
    Ok(Some(String::from_utf8_lossy(line).into_owned()))
}

/// The figures in Prometheus's text format.
fn text(facts: &Facts) -> String {
    let newest = facts.newest.as_ref();
    let of = |value: fn(&Update) -> Option<f64>| newest.and_then(value);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let gauges = [
        (
            "certified_loss",
            "No adversary gets the long-run loss on the window above this.",
            of(|u| u.certified_loss),
        ),
        (
            "certified_error",
            "No adversary gets the long-run fraction misclassified above this.",
            of(|u| u.certified_error),
        ),
        ("attack_loss", "Long-run loss under the strongest attack found, simulated.", of(|u| u.attack_loss)),
        (
            "attack_error",
            "Fraction misclassified under the strongest attack found, simulated.",
            of(|u| u.attack_error),
        ),
        ("benign_loss", "Loss without an adversary, for small learning rates.", of(|u| u.benign_loss)),
        (
            "benign_error",
            "Fraction misclassified without an adversary, for small learning rates.",
            of(|u| u.benign_error),
        ),
        ("limit_loss", "The largest certified loss that raises no alarm.", facts.limits.loss),
        ("limit_error", "The largest certified error that raises no alarm.", facts.limits.error),
        (
            "limit_passed",
            "Whether the newest certificate passes a limit.",
            of(|u| Some(f64::from(u8::from(u.alarm)))),
        ),
        (
            "certificate_age_seconds",
            "Seconds since the newest certificate was begun.",
            newest.map(|u| (now - u.time).max(0.0)),
        ),
        (
            "certificate_rows",
            "Rows that had been seen when the newest certificate was begun.",
            newest.map(|u| u.rows as f64),
        ),
        (
            "certificate_seconds",
            "Seconds that the newest certificate and its attacks took.",
            of(|u| Some(u.seconds)),
        ),
    ];
    let counters = [
        ("rows_total", "Rows taken from the stream.", facts.rows),
        ("skipped_lines_total", "Lines that could not be used.", facts.skipped),
        ("updates_total", "Windows that were certified, or for which no proof was found.", facts.updates),
        ("alarms_total", "Times that a limit was passed.", facts.alarms),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        if let Some(value) = value {
            let _ = write!(
                text,
                "# HELP unswayed_{name} {help}\n# TYPE unswayed_{name} gauge\nunswayed_{name} {value}\n"
            );
        }
    }
    for (name, help, value) in counters {
        let _ = write!(
            text,
            "# HELP unswayed_{name} {help}\n# TYPE unswayed_{name} counter\nunswayed_{name} {value}\n"
        );
    }
    text
}
