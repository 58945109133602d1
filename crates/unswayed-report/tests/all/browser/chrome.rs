//! Chromium, driven by its own protocol over a web socket.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

const FLAGS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--remote-debugging-port=0",
    "about:blank",
];

/// A browser with one page. It ends with the value.
pub struct Chrome {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: Option<String>,
    calls: u64,
    /// What the page did so far.
    events: Vec<Value>,
    _profile: TempDir,
}

impl Drop for Chrome {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Chrome {
    /// Starts the browser. Panics with what to do if there is none.
    pub fn start() -> Self {
        let program = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".into());
        let profile = tempfile::tempdir().expect("a folder for the browser");
        let mut child = Command::new(&program)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(FLAGS)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{program} does not start ({error}): run scripts/browser, which installs it, or set CHROMIUM")
            });
        let url = address(&mut child);
        let host = url.trim_start_matches("ws://").split('/').next().unwrap_or_default().to_owned();
        let stream = TcpStream::connect(&host).expect("the browser listens");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a time limit");
        let (socket, _) = tungstenite::client(url.as_str(), stream).expect("the browser answers");
        let mut chrome =
            Self { child, socket, session: None, calls: 0, events: Vec::new(), _profile: profile };
        chrome.attach();
        chrome
    }

    /// A page of its own, all of whose doings are recorded.
    fn attach(&mut self) {
        let target = self.call("Target.createTarget", &json!({"url": "about:blank"}));
        let target = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call("Target.attachToTarget", &target);
        self.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Network", "Runtime", "Log"] {
            self.call(&format!("{domain}.enable"), &json!({}));
        }
    }

    /// Calls a method of the protocol.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let answer = self.receive();
            if answer["id"] == self.calls {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn receive(&mut self) -> Value {
        let message = self.socket.read().expect("the browser answers within a minute");
        serde_json::from_str(message.to_text().unwrap_or("null")).unwrap_or(Value::Null)
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, file: &Path) {
        self.call("Page.navigate", &json!({"url": format!("file://{}", file.display())}));
        self.until("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The text that an expression gives.
    pub fn text(&mut self, expression: &str) -> String {
        self.eval(expression).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != true {
            assert!(start.elapsed() < Duration::from_secs(20), "never true: {expression}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The middle of an element, scrolled into view.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        (place[0].as_f64().expect("an element"), place[1].as_f64().expect("an element"))
    }

    /// Moves the mouse there.
    pub fn hover(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.call("Input.dispatchMouseEvent", &json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// Clicks there.
    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", &event);
        }
    }

    /// Taps there with a finger.
    pub fn tap(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.call(
            "Input.dispatchTouchEvent",
            &json!({"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}),
        );
        self.call("Input.dispatchTouchEvent", &json!({"type": "touchEnd", "touchPoints": []}));
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({"type": kind, "key": key, "code": key}));
        }
    }

    /// Screen or print, light or dark.
    pub fn media(&mut self, media: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"media": media, "features": features}));
    }

    /// The size of the window.
    pub fn size(&mut self, width: u32, height: u32) {
        let phone = width < 500;
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        self.call("Emulation.setTouchEmulationEnabled", &json!({"enabled": phone}));
    }

    /// The addresses of all requests so far.
    pub fn requests(&mut self) -> Vec<String> {
        self.of("Network.requestWillBeSent").iter().map(|e| e["request"]["url"].to_string()).collect()
    }

    /// All errors, warnings and messages so far.
    pub fn complaints(&mut self) -> Vec<Value> {
        let kinds = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
        kinds.iter().flat_map(|kind| self.of(kind)).collect()
    }

    fn of(&mut self, method: &str) -> Vec<Value> {
        // An answer comes after all that happened before it.
        self.eval("0");
        self.events.iter().filter(|e| e["method"] == method).map(|e| e["params"].clone()).collect()
    }
}

/// Where the browser listens, as it says itself. Its other words are read and dropped.
fn address(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stderr.take().expect("its messages")).lines();
    let mut said = String::new();
    for line in lines.by_ref().map_while(Result::ok) {
        if let Some(url) = line.strip_prefix("DevTools listening on ") {
            let url = url.trim().to_owned();
            std::thread::spawn(move || lines.for_each(drop));
            return url;
        }
        said.push_str(&line);
        said.push('\n');
    }
    panic!("the browser does not start; scripts/browser installs what it needs. It said:\n{said}")
}
