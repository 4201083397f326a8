//! A test in which threads share the connections of a client, while servers end the connections at random
//! moments. A ledger records the actions of the servers, and explains each result.
//! `MERCHANTPAY_STRESS_SECONDS` sets the duration, and `MERCHANTPAY_STRESS_SEED` repeats the choices of a
//! run.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::common::reply::signed;
use crate::common::route::{Below, ROUTES, Secure, Service, VERSIONS, handshake, records, write};
use crate::common::server::read_request;
use crate::common::{LONG, payment_request};
use fastrand::Rng;
use merchantpay::{Client, Code, Outcome};
use rustls::ServerConfig;

const THREADS: usize = 6;

/// The same seed repeats the choices.
fn choices_of(seed: u64, number: usize) -> Rng {
    Rng::with_seed(seed.wrapping_add(number as u64))
}

fn microseconds(choices: &mut Rng, limit: u64) -> Duration {
    Duration::from_micros(choices.u64(..limit))
}

#[derive(Default)]
struct Ledger {
    /// The payments whose request arrived, but whose connection the server has ended without an answer to
    /// this request.
    cut: HashSet<String>,
    /// The number of times that each payment arrived.
    arrived: HashMap<String, usize>,
    /// Payments that arrived on a connection after the server had sent the end of the connection together
    /// with a response.
    after_the_end: Vec<String>,
}

/// The server's behaviour after a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    Answer,
    /// Answers, and sends a second response, which was not requested, in the same write.
    AnswerTwice,
    /// Answers, and sends `close_notify` in the same write.
    AnswerAndClose,
    /// Answers, and ends the connection a moment later.
    AnswerThenClose,
    /// Ends the connection without an answer.
    Cut,
}

struct Stress {
    seed: u64,
    ledger: Mutex<Ledger>,
    connections: AtomicUsize,
    payments: AtomicUsize,
    end: Instant,
}

impl Stress {
    fn serve(&self, config: Arc<ServerConfig>, below: Box<dyn Below>) {
        let number = self.connections.fetch_add(1, Ordering::SeqCst);
        let mut choices = choices_of(self.seed, 1000 + number);
        let Some((mut secure, tickets)) = handshake(config, below) else { return };
        if choices.u8(..2) == 0 {
            std::thread::sleep(microseconds(&mut choices, 2000));
        }
        if write(&mut secure, &tickets).is_none() {
            return;
        }
        let (mut unread, mut has_ended, mut end_was_sent) = (Vec::new(), false, false);
        while let Some(request) = read_request(&mut secure, &mut unread) {
            let payment = payment_in(&request.body);
            {
                let mut ledger = self.ledger.lock().unwrap();
                *ledger.arrived.entry(payment.clone()).or_default() += 1;
                if end_was_sent {
                    ledger.after_the_end.push(payment.clone());
                }
                if has_ended {
                    ledger.cut.insert(payment);
                    continue;
                }
            }
            let then = match choices.u8(..12) {
                0 => Then::AnswerTwice,
                1 => Then::AnswerAndClose,
                2 | 3 => Then::AnswerThenClose,
                4 => Then::Cut,
                _ => Then::Answer,
            };
            if then == Then::Cut {
                self.ledger.lock().unwrap().cut.insert(payment);
            } else {
                respond(&mut secure, &payment, then);
            }
            if then == Then::AnswerThenClose {
                std::thread::sleep(microseconds(&mut choices, 300));
            }
            if matches!(then, Then::AnswerThenClose | Then::Cut) {
                secure.conn.send_close_notify();
                let last = records(&mut secure);
                let _ = write(&mut secure, &last);
            }
            end_was_sent = then == Then::AnswerAndClose;
            // The server continues to read, so that the ledger also has the requests that arrive after the
            // end of the connection.
            has_ended = !matches!(then, Then::Answer | Then::AnswerTwice);
        }
    }

    /// Pays once over `client`, and checks that the ledger explains the result.
    fn pay(&self, client: &Client, may_be_interrupted: bool) {
        let number = self.payments.fetch_add(1, Ordering::SeqCst);
        let payment = format!("payment-{number}");
        let error = match client.new_payment(&payment_request().merchant_id(payment.as_str())) {
            Ok(response) => {
                assert_eq!(response.payee_account(), Some(payment.as_str()), "another request's response");
                return;
            }
            Err(error) => error,
        };
        let explained = match (error.outcome(), error.code()) {
            (Outcome::NotSent, Code::Cancelled) | (Outcome::Unknown, Code::Cancelled) => may_be_interrupted,
            (Outcome::NotSent, _) => true,
            // The server may read the request a moment after the error.
            (Outcome::Unknown, Code::Transport) => self.becomes_cut(&payment),
            _ => false,
        };
        assert!(explained, "{payment} {error}: nothing in the ledger explains it");
    }

    fn becomes_cut(&self, payment: &str) -> bool {
        let end = Instant::now() + LONG;
        while Instant::now() < end {
            if self.ledger.lock().unwrap().cut.contains(payment) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

fn payment_in(body: &[u8]) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap();
    body["merchantId"].as_str().unwrap().to_owned()
}

fn response(payment: &str) -> Vec<u8> {
    signed(format!(r#"{{"success":true,"orderId":"order of {payment}","payeeAccount":"{payment}"}}"#)).bytes()
}

fn respond(secure: &mut Secure, payment: &str, then: Then) {
    secure.conn.writer().write_all(&response(payment)).unwrap();
    match then {
        Then::AnswerTwice => secure.conn.writer().write_all(&response("nobody")).unwrap(),
        Then::AnswerAndClose => secure.conn.send_close_notify(),
        Then::Answer | Then::AnswerThenClose | Then::Cut => {}
    }
    let bytes = records(secure);
    let _ = write(secure, &bytes);
}

fn client(service: &Service) -> Client {
    let config = service.config().max_retries(1).reuse_idle(LONG).connect_idle(LONG);
    Client::new(config.timeout(2 * LONG)).unwrap()
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn every_result_is_explained() {
    let seconds = number_of("MERCHANTPAY_STRESS_SECONDS").unwrap_or(3);
    let seed = number_of("MERCHANTPAY_STRESS_SEED").unwrap_or_else(|| getrandom::u64().unwrap());
    println!("MERCHANTPAY_STRESS_SEED={seed}");
    let stress = Arc::new(Stress {
        seed,
        ledger: Mutex::default(),
        connections: AtomicUsize::new(0),
        payments: AtomicUsize::new(0),
        end: Instant::now() + Duration::from_secs(seconds),
    });
    let routes = ROUTES.into_iter().flat_map(|route| VERSIONS.map(|version| (route, version)));
    let shared: Vec<Service> = routes
        .map(|(route, version)| {
            let stress = Arc::clone(&stress);
            Service::start(route, version, move |_, config, below| stress.serve(config, below))
        })
        .collect();
    let clients: Vec<Mutex<Client>> = shared.iter().map(|service| Mutex::new(client(service))).collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (stress, shared, clients) = (&stress, &shared, &clients);
            scope.spawn(move || {
                let mut choices = choices_of(seed, thread);
                while Instant::now() < stress.end {
                    let place = choices.usize(..6);
                    let client_here = clients[place].lock().unwrap().clone();
                    match choices.u8(..16) {
                        // Drops a client. Calls of this client may be running in other threads.
                        0 => *clients[place].lock().unwrap() = client(&shared[place]),
                        1 => drop(client_here.connect()),
                        2..=6 => interrupted(stress, &client_here.derive(LONG), &mut choices),
                        // If a server has ended a connection early, the client avoids reused connections for
                        // a minute. A new client does not avoid them.
                        7..=8 => {
                            let new = client(&shared[place]);
                            (0..4).for_each(|_| stress.pay(&new, false));
                        }
                        9 => stress.pay(&client_here.derive(LONG), false),
                        _ => stress.pay(&client_here, false),
                    }
                }
            });
        }
    });
    let ledger = stress.ledger.lock().unwrap();
    println!(
        "{} payments over {} connections, {} cut",
        stress.payments.load(Ordering::SeqCst),
        stress.connections.load(Ordering::SeqCst),
        ledger.cut.len()
    );
    assert_eq!(ledger.after_the_end, [] as [String; 0], "sent after the end of a connection had arrived");
    assert!(ledger.arrived.values().all(|times| *times == 1), "a payment was sent twice");
    assert!(!ledger.cut.is_empty(), "the servers have cut no connection");
}

/// Opens a connection or pays with a client that another thread interrupts at any time.
fn interrupted(stress: &Stress, handle: &Client, choices: &mut Rng) {
    let delay = microseconds(choices, 1500);
    std::thread::scope(|scope| {
        let begun = Instant::now();
        scope.spawn(move || {
            while begun.elapsed() < delay {
                std::hint::spin_loop();
            }
            handle.interrupt();
        });
        match choices.u8(..2) {
            0 => stress.pay(handle, true),
            _ => drop(handle.connect()),
        }
    });
}
