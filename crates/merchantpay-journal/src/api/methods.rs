//! The table of the journal's methods, from which the languages and the pages are generated.

/// A method of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// The name in snake case.
    pub name: &'static str,
    /// The arguments, in order.
    pub arguments: &'static [Argument],
    /// What it returns.
    pub result: Kind,
    /// The meaning in one line.
    pub doc: &'static str,
    /// The version that introduced it.
    pub since: &'static str,
}

/// An argument of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// The name in snake case.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The value if it is left out, as text: `""` for none. `None` if it cannot be left out.
    pub default: Option<&'static str>,
}

/// What an argument or a result is. `Number` has 32 bits, and `LongNumber` 64. A [`Standing`](crate::Standing), an
/// [`Until`](crate::Until), a [`Style`](crate::Style) and [`Reason`](crate::Reason)s go by their names.
#[expect(missing_docs, reason = "the other names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    Nothing,
    Text,
    /// The value of an HTTP header, as it came.
    Header,
    Bytes,
    Number,
    LongNumber,
    Flag,
    Milliseconds,
    /// The fields of a payment's request.
    Request,
    Amount,
    Standing,
    Until,
    Style,
    Reasons,
    /// The entry behind which a list goes on: its `created_at` and `reference`.
    Position,
    Journal,
    Entry,
    OptionalEntry,
    Entries,
    Received,
    Settled,
    Attention,
    Stats,
    Statement,
}

macro_rules! methods {
    ($( $( #[doc = $doc:literal] )+ $name:ident ( $( $argument:ident: $kind:ident $(= $default:literal)? ),* ) -> $result:ident, since $since:literal; )+) => {
        /// Every method that the languages have. An entry may stand for its reference, attempt and news.
        pub const METHODS: &[Method] = &[ $( Method {
            name: stringify!($name),
            arguments: &[ $( Argument {
                name: stringify!($argument), kind: Kind::$kind, default: methods!(@default $($default)?),
            }, )* ],
            result: Kind::$result,
            doc: concat!($($doc),+).trim_ascii(),
            since: $since,
        }, )+ ];
    };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
}

methods! {
    /// Makes a payment, or returns the reference's present one; it can be repeated at any time.
    pay(reference: Text, request: Request) -> Entry, since "0.2.0";
    /// Like pay, by newPaymentAsync: the credentials come by webhook.
    pay_async(reference: Text, request: Request) -> Entry, since "0.2.0";
    /// Makes a payment in place of an attempt that a person gives up.
    replace(reference: Text, attempt: Number, request: Request) -> Entry, since "0.4.0";
    /// The last attempt of a reference; none if there is no such reference.
    find(reference: Text) -> OptionalEntry, since "0.2.0";
    /// Entries, the newest first: the last attempt of each reference, or the attempts of one standing. A further page
    /// continues behind the last entry of the one before.
    list(standing: Standing = "", limit: Number = "100", before: Position = "") -> Entries, since "0.2.0";
    /// Waits until the last attempt of a reference has credentials or is final, and returns its entry. Meanwhile it asks
    /// the service about it. It also returns the entry when the time is up.
    wait(reference: Text, until: Until = "credentials", timeout_ms: Milliseconds = "30000") -> Entry, since "0.2.0";
    /// Tells the service that the customer has paid. The journal stores that first, and settle repeats it until there is
    /// an answer.
    confirm(reference: Text, attempt: Number) -> Entry, since "0.2.0";
    /// Cancels an attempt: do not show its credentials any more. Once the service has accepted that, it can be replaced.
    cancel(reference: Text, attempt: Number) -> Entry, since "0.2.0";
    /// Takes a webhook, and returns the HTTP status of the answer.
    receive(path: Header, body: Bytes, signature: Header, key_id: Header = "") -> Received, since "0.2.0";
    /// Asks the service about attempts that are due, and repeats unanswered confirms and cancels. Call it in a loop;
    /// several workers may share the work.
    settle(limit: Number = "100") -> Settled, since "0.2.0";
    /// Entries with news that nobody has acknowledged, the oldest first, each leased for a minute. Act on a payment only
    /// when this returns its entry.
    news(limit: Number = "100") -> Entries, since "0.2.0";
    /// Acknowledges the news that were read, and returns whether it did.
    acknowledge(reference: Text, attempt: Number, news: LongNumber) -> Flag, since "0.2.0";
    /// The statement that acknowledges news in the merchant's own transaction. If it changes no row: roll back.
    acknowledge_sql(reference: Text, attempt: Number, news: LongNumber, style: Style) -> Statement, since "0.4.0";
    /// What a person must look at: attempts with reasons, orphans, and rows that cannot be read.
    attention(limit: Number = "100") -> Attention, since "0.2.0";
    /// Decides that an attempt's payment is this order, with this sum: the asked one unless given.
    resolve_order(reference: Text, attempt: Number, order_id: Text, note: Text, sum: Amount = "") -> Entry, since "0.4.0";
    /// Decides that there is no payment for an attempt.
    resolve_no_payment(reference: Text, attempt: Number, note: Text) -> Entry, since "0.4.0";
    /// Says that these reasons of an attempt were seen.
    resolve_seen(reference: Text, attempt: Number, reasons: Reasons, note: Text) -> Entry, since "0.4.0";
    /// Says that a restored attempt is as new as the truth.
    resolve_trusted(reference: Text, attempt: Number, note: Text) -> Entry, since "0.4.0";
    /// Says that the messages about an order that no attempt has were seen, with the status that was read.
    resolve_orphan(order_id: Text, status: Text, note: Text) -> Nothing, since "0.4.0";
    /// Counts what is open, due, new and for a person.
    stats() -> Stats, since "0.2.0";
    /// Another handle of the same journal, whose calls can be interrupted apart.
    derive() -> Journal, since "0.2.0";
    /// Ends the running calls of this journal and of those derived from it, and lets no more start.
    interrupt() -> Nothing, since "0.2.0";
    /// Closes the journal.
    close() -> Nothing, since "0.2.0";
}
