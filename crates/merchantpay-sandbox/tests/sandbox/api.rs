//! A plain client of the control API.

use merchantpay_sandbox::Sandbox;
use serde_json::Value;

pub struct Api {
    url: String,
    agent: ureq::Agent,
}

pub struct Reply {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.bytes)))
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl Api {
    pub fn of(sandbox: &Sandbox) -> Api {
        Api::at(sandbox.url().to_owned())
    }

    pub fn at(url: String) -> Api {
        let agent =
            ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build().new_agent();
        Api { url, agent }
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> Reply {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut answer = self.agent.run(request.body(body.unwrap_or_default().to_owned()).unwrap()).unwrap();
        let bytes = answer.body_mut().read_to_vec().unwrap();
        Reply { status: answer.status().as_u16(), headers: answer.headers().clone(), bytes }
    }

    /// Gets the document of a path.
    pub fn get(&self, path: &str) -> Value {
        let reply = self.send("GET", path, &[], None);
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.bytes));
        reply.json()
    }

    pub fn payment(&self, order_id: &str) -> Value {
        self.get(&format!("/sandbox/payments/{order_id}"))
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], Some(body))
    }

    /// Makes a change, which must succeed.
    pub fn change(&self, path: &str, body: &str) -> Value {
        let reply = self.post(path, body);
        assert!(
            (200..300).contains(&reply.status),
            "{path} {body}: {}",
            String::from_utf8_lossy(&reply.bytes)
        );
        reply.json()
    }

    /// Makes a change that is refused. Returns its status and code.
    pub fn refused(&self, path: &str, body: &str) -> (u16, String) {
        let reply = self.post(path, body);
        (reply.status, reply.json()["error"]["code"].as_str().unwrap().to_owned())
    }
}
