//! The statements about attempts, messages and settings, once for all dialects.
//!
//! They are templates of [`render`]. Every reading statement begins with `SELECT `: it may be repeated.

use super::dialect::{Dialect, render};
use super::row::{COLUMNS, Kind, written};
use super::schema::{ATTEMPTS, MESSAGES};
use crate::model::attempt::Standing;
use crate::model::clock::{HOUR, LEASE, LONGEST_CALL};
use crate::model::plan::LONGEST_WATCH;

const IS_PAUSED: &str = "EXISTS (SELECT 1 FROM merchantpay_settings WHERE name = 'pause')";

/// The reference has a success. MySQL reads the table that it updates only through a derived table, which
/// LIMIT keeps from being merged.
const HAS_SUCCESS: &str = "EXISTS (SELECT 1 FROM (SELECT 1 FROM merchantpay_attempts WHERE reference = ? \
    AND status = 'doneSuccess' LIMIT 1) AS s)";

const PAUSE: &str = "(SELECT value FROM merchantpay_settings WHERE name = 'pause')";

const ONE_ROW: &str = "FROM (SELECT 1 AS one) AS o";

/// The statements that payments and webhooks run, rendered once for a store.
pub(super) struct Statements {
    pub look: String,
    pub insert: String,
    pub store: String,
    pub reuse: String,
    pub stamp: String,
    pub claim: String,
    pub lease: String,
    pub acknowledge: String,
    pub insert_message: String,
    pub hints: String,
    pub by_token: String,
    pub by_order: String,
    pub attempts: String,
}

impl Statements {
    pub(super) fn new(dialect: Dialect) -> Statements {
        let of = |template: &str| render(template, dialect);
        Statements {
            look: of(&look()),
            insert: of(&insert()),
            store: of(&update(false, "")),
            reuse: of(&update(true, &format!(" AND NOT {IS_PAUSED} AND NOT {HAS_SUCCESS}"))),
            stamp: of(&format!("SELECT stamp FROM {ATTEMPTS} WHERE reference = ? AND attempt = ?#")),
            claim: of(&format!(
                "UPDATE {ATTEMPTS} SET due_at = {{now}} + {LEASE}, stamp = ? \
                 WHERE reference = ? AND attempt = ?# AND stamp = ?"
            )),
            // Not by stamp, which a webhook renews while the news are read.
            lease: of(&format!(
                "UPDATE {ATTEMPTS} SET news_due = {{now}} + {LEASE} WHERE reference = ? AND attempt = ?# \
                 AND news = ?# AND news > acked AND COALESCE(news_due, -1) = ?#"
            )),
            acknowledge: of(&acknowledge(["?", "?#", "?#"])),
            insert_message: of(&insert_message()),
            hints: of(HINTS),
            by_token: of(&many("WHERE j.token = ?")),
            by_order: of(&many("WHERE j.order_id = ?")),
            attempts: of(&many("WHERE j.reference = ? ORDER BY j.attempt DESC")),
        }
    }
}

fn placeholder(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "?#",
        _ => "?",
    }
}

fn columns(alias: &str) -> String {
    COLUMNS.map(|(name, _)| format!("{alias}.{name}")).join(", ")
}

/// The clock, the pause, and the last attempt of a reference; one row, also without an attempt.
fn look() -> String {
    let last = format!("SELECT * FROM {ATTEMPTS} WHERE reference = ? ORDER BY attempt DESC LIMIT 1");
    format!("SELECT {{now}}, {PAUSE}, {} {ONE_ROW} LEFT JOIN ({last}) AS j ON 1 = 1", columns("j"))
}

fn insert() -> String {
    let (names, places): (Vec<_>, Vec<_>) =
        COLUMNS.map(|(name, kind)| (name, placeholder(kind))).into_iter().unzip();
    let (names, places) = (names.join(", "), places.join(", "));
    format!(
        "INSERT INTO {ATTEMPTS} ({names}) SELECT {places} {ONE_ROW} WHERE NOT {IS_PAUSED} AND NOT {HAS_SUCCESS}"
    )
}

/// The row that a transition has decided, by compare-and-swap on the stamp.
fn update(is_reused: bool, condition: &str) -> String {
    let set = |column: usize| format!("{} = {}", COLUMNS[column].0, placeholder(COLUMNS[column].1));
    let sets: Vec<String> = written(is_reused).map(set).collect();
    // MySQL assigns from left to right, so `news_due` comes before `news`.
    format!(
        "UPDATE {ATTEMPTS} SET {}, \
         news_due = CASE WHEN news < ?# THEN {{now}} ELSE news_due END, news = ?# \
         WHERE reference = ? AND attempt = ?# AND stamp = ?{condition}",
        sets.join(", ")
    )
}

/// Also for the merchant's own transaction (`Entry::acknowledge_sql`). `news = …` keeps an old number from covering a
/// change that nobody has read.
pub fn acknowledge([reference, attempt, news]: [&str; 3]) -> String {
    format!(
        "UPDATE {ATTEMPTS} SET acked = news \
         WHERE reference = {reference} AND attempt = {attempt} AND news = {news} AND acked < news"
    )
}

/// The clock, and the attempts that `rest` selects.
pub(super) fn many(rest: &str) -> String {
    format!("SELECT {{now}}, {} FROM {ATTEMPTS} AS j {rest}", columns("j"))
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub limit: u32,
    pub offset: u32,
}

impl std::fmt::Display for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LIMIT {} OFFSET {}", self.limit, self.offset)
    }
}

/// The states that this version knows, and how far ahead a row in each can be due. Further ahead: the clock was set back.
const DUE_STATES: [(&str, i64); 4] =
    [("sent", HOUR), ("open", HOUR), ("refused", LONGEST_WATCH), ("final", LONGEST_WATCH)];

pub(super) fn due(page: Page) -> String {
    by_due(page, |far| vec![("due_at", "due_at <= {now}".to_owned()), ("due_at", too_far(far))])
}

/// Attempts that are or will be due; one whose time lies too far ahead comes as if it were due now.
pub(super) fn next_due(page: Page) -> String {
    by_due(page, |far| vec![("due_at", "due_at IS NOT NULL".to_owned()), ("{now}", too_far(far))])
}

fn too_far(far: i64) -> String {
    format!("due_at > {{now}} + {far}")
}

/// Attempts by due time: one SELECT for each state and condition, because with OR no database would use the index of state
/// and `due_at`.
fn by_due(page: Page, conditions: impl Fn(i64) -> Vec<(&'static str, String)>) -> String {
    let enough = page.limit.saturating_add(page.offset);
    let part = |state: &str, (sorted_by, condition): (&str, String)| {
        format!(
            "SELECT * FROM (SELECT reference, attempt, {sorted_by} AS sort_key FROM {ATTEMPTS} \
             WHERE state = '{state}' AND {condition} ORDER BY due_at LIMIT {enough}) AS k"
        )
    };
    let keys: Vec<String> = DUE_STATES
        .iter()
        .flat_map(|(state, far)| conditions(*far).into_iter().map(|condition| part(state, condition)))
        .collect();
    let keys = format!("SELECT * FROM ({}) AS u ORDER BY sort_key {page}", keys.join(" UNION ALL "));
    format!(
        "SELECT {{now}}, {} FROM ({keys}) AS k JOIN {ATTEMPTS} AS j \
         ON j.reference = k.reference AND j.attempt = k.attempt ORDER BY k.sort_key",
        columns("j")
    )
}

/// Attempts that are due, in a state that this version does not know.
pub(super) fn due_in_other_state(page: Page) -> String {
    let known = DUE_STATES.map(|(state, _)| format!("'{state}'")).join(", ");
    many(&format!(
        "WHERE j.due_at IS NOT NULL AND (j.due_at <= {{now}} OR j.due_at > {{now}} + {LONGEST_WATCH}) \
         AND j.state NOT IN ({known}) ORDER BY j.due_at, j.reference, j.attempt {page}"
    ))
}

/// Entries that nobody has acknowledged or leased, the oldest first.
pub(super) fn news(page: Page) -> String {
    many(&format!(
        "WHERE {{unacked}} AND (j.news_due IS NULL OR j.news_due <= {{now}} OR j.news_due > {{now}} + {LEASE}) \
         ORDER BY {{news}} {page}"
    ))
}

/// Attempts with a reason that no person has seen, the oldest first.
pub(super) fn attention(page: Page) -> String {
    many(&format!("WHERE {{attention}} ORDER BY {{attention_at}} {page}"))
}

/// Attempts whose call ended two minutes ago without an answer. Parameters: the longest call in milliseconds, and the bits
/// of `seen` that hide a row.
pub(super) fn unknown(page: Page) -> String {
    many(&format!("WHERE {IS_UNKNOWN} ORDER BY j.call_until {page}"))
}

const IS_UNKNOWN: &str = "j.state = 'sent' AND (j.call_until <= {now} - 120000 OR j.call_until > {now} + ?#) \
    AND j.replaced = 0 AND (j.seen & ?#) = 0";

/// One that ends later than the longest call was stored before the clock was set back, and is over.
fn call_runs() -> String {
    format!("j.state = 'sent' AND j.call_until > {{now}} AND j.call_until <= {{now}} + {LONGEST_CALL}")
}

fn call_is_over() -> String {
    format!("j.state = 'sent' AND (j.call_until <= {{now}} OR j.call_until > {{now}} + {LONGEST_CALL})")
}

/// Attempts whose call ends in the future, the next to end first. Those that a clock set back has left there are for
/// `has_paused` to sort out.
pub(super) fn sending(page: Page) -> String {
    many(&format!("WHERE j.state = 'sent' AND j.call_until > {{now}} ORDER BY j.call_until {page}"))
}

/// Attempts, the newest first, before a position (`created_at`, `created_at`, `reference`). Only
/// [`Standing::Superseded`] shows attempts that are not their reference's last.
pub(super) fn list(standing: Option<Standing>, has_position: bool, page: Page) -> String {
    const IS_LAST: &str = "NOT EXISTS (SELECT 1 FROM merchantpay_attempts AS n \
        WHERE n.reference = j.reference AND n.attempt > j.attempt)";
    let condition = match standing {
        None => IS_LAST.to_owned(),
        Some(Standing::Superseded) => "j.replaced = 1".to_owned(),
        Some(Standing::Sending) => format!("{IS_LAST} AND {}", call_runs()),
        Some(Standing::Unknown) => format!("{IS_LAST} AND {}", call_is_over()),
        Some(state) => format!("{IS_LAST} AND j.state = '{state}'"),
    };
    let position = match has_position {
        true => " AND j.created_at <= ?# AND (j.created_at < ?# OR j.reference < ?)",
        false => "",
    };
    many(&format!(
        "WHERE {condition}{position} ORDER BY j.created_at DESC, j.reference DESC, j.attempt DESC {page}"
    ))
}

/// All attempts after a key (`reference`, `reference`, `attempt`).
pub(super) fn export(page: Page) -> String {
    many(&format!(
        "WHERE j.reference > ? OR (j.reference = ? AND j.attempt > ?#) ORDER BY j.reference, j.attempt {page}"
    ))
}

/// Rows of all columns, without a guard: for an import.
pub(super) fn insert_rows(count: usize) -> String {
    let row = format!("({})", COLUMNS.map(|(_, kind)| placeholder(kind)).join(", "));
    let names = COLUMNS.map(|(name, _)| name).join(", ");
    format!("INSERT INTO {ATTEMPTS} ({names}) VALUES {}", vec![row; count].join(", "))
}

/// Attempts that a purge may empty, from before a time, after a position (`before`, `created_at`, `created_at`,
/// `reference`, `reference`, `attempt`).
pub(super) fn purgeable(page: Page) -> String {
    many(&format!(
        "WHERE j.created_at < ?# AND j.created_at >= ?# \
         AND (j.created_at > ?# OR j.reference > ? OR (j.reference = ? AND j.attempt > ?#)) \
         AND (j.state IN ('refused', 'final') OR j.replaced = 1) AND j.news <= j.acked AND j.attention = 0 \
         AND j.asked IS NOT NULL AND j.due_at IS NULL \
         ORDER BY j.created_at, j.reference, j.attempt {page}"
    ))
}

/// Empties the messages at an attempt's token and about its order. A person must still read the status of an
/// orphan that nobody has seen.
pub(super) const EMPTY_MESSAGES: &str = "UPDATE merchantpay_messages SET body = '' WHERE body <> '' AND ((token = ? AND seen <> 0) OR order_id = ?)";

/// Empties messages from before a time that a person has seen, and that no attempt's purge will empty: those of no
/// attempt, and those that were on their way when their attempt was emptied.
pub(super) const EMPTY_ORPHANS: &str = "UPDATE merchantpay_messages SET body = '' WHERE body <> '' AND seen <> 0 AND received_at < ?# \
    AND NOT EXISTS (SELECT 1 FROM merchantpay_attempts AS a \
    WHERE a.token = merchantpay_messages.token AND a.asked IS NOT NULL) \
    AND NOT EXISTS (SELECT 1 FROM merchantpay_attempts AS a \
    WHERE a.order_id = merchantpay_messages.order_id AND a.asked IS NOT NULL)";

pub(super) const MARK_RESTORED: &str =
    "UPDATE merchantpay_attempts SET restored = 1, stamp = ?, updated_at = {now} WHERE restored = 0";

/// Ends the search for messages whose order is bound by now: `orphans` reads all that is not seen.
pub(super) const SEE_BOUND: &str = "UPDATE merchantpay_messages SET seen = 1 WHERE seen = 0 \
    AND EXISTS (SELECT 1 FROM merchantpay_attempts AS a WHERE a.order_id = merchantpay_messages.order_id)";

/// Counts: calls that run, unknown, open, due, unacknowledged, with a reason for a person, orders of no attempt. The
/// parameters are those of [`unknown`].
pub(super) fn counts() -> String {
    let due = DUE_STATES.map(|(state, far)| {
        format!("(j.state = '{state}' AND (j.due_at <= {{now}} OR j.due_at > {{now}} + {far}))")
    });
    let of = |condition: &str| format!("(SELECT COUNT(*) FROM {ATTEMPTS} AS j WHERE {condition})");
    format!(
        "SELECT {}, {}, {}, {}, {}, {} + {}, (SELECT COUNT(DISTINCT m.order_id) FROM {MESSAGES} AS m WHERE {IS_ORPHAN})",
        of(&call_runs()),
        of(&format!("j.replaced = 0 AND {}", call_is_over())),
        of("j.state = 'open' AND j.due_at IS NOT NULL"),
        of(&format!("j.due_at IS NOT NULL AND ({})", due.join(" OR "))),
        of("{unacked}"),
        of("{attention}"),
        of(&format!("j.attention = 0 AND {IS_UNKNOWN}")),
    )
}

/// The most unknown tokens at which one message is stored.
const MOST_COPIES: u32 = 20;

/// A message of an attempt whose order is bound is stored as seen, so that the search for orphans does not meet
/// it. Whoever has one genuine message can post it to any number of invented tokens: of those, few are stored.
fn insert_message() -> String {
    format!(
        "INSERT INTO {MESSAGES} (received_at, seen, token, digest, order_id, kind, body) SELECT {{now}}, \
         CASE WHEN EXISTS (SELECT 1 FROM {ATTEMPTS} WHERE order_id = ?) THEN 1 ELSE 0 END, ?, ?, ?, ?, ? {ONE_ROW} \
         WHERE EXISTS (SELECT 1 FROM {ATTEMPTS} WHERE token = ?) OR (SELECT COUNT(*) FROM (SELECT 1 FROM {MESSAGES} \
         WHERE order_id = ? AND digest = ? LIMIT {MOST_COPIES}) AS m) < {MOST_COPIES}"
    )
}

/// The orders that messages have named at a token, at how many tokens, and whether another attempt has the
/// order (`token`, `token`). A person's note is no evidence of an order.
const HINTS: &str = "SELECT m.order_id, COUNT(DISTINCT o.token), CASE WHEN EXISTS (SELECT 1 FROM merchantpay_attempts AS a \
    WHERE a.order_id = m.order_id AND a.token <> ?) THEN 1 ELSE 0 END FROM merchantpay_messages AS m \
    JOIN merchantpay_messages AS o ON o.order_id = m.order_id AND o.kind <> 'note' \
    WHERE m.token = ? AND m.kind <> 'note' GROUP BY m.order_id ORDER BY m.order_id LIMIT 20";

/// A message whose order no attempt has. While the token's attempt is `sent`, it is a hint.
const IS_ORPHAN: &str = "m.seen = 0 AND NOT EXISTS (SELECT 1 FROM merchantpay_attempts AS a WHERE a.order_id = m.order_id) \
    AND NOT EXISTS (SELECT 1 FROM merchantpay_attempts AS a WHERE a.token = m.token AND a.state = 'sent')";

/// The columns of a message, in the order in which they are read.
const OF_MESSAGE: &str = "m.token, m.digest, m.order_id, m.kind, m.body, m.received_at, m.seen";

/// By order, because one message can be repeated at any number of invented tokens. Of these, the token that an
/// attempt has is returned.
pub(super) fn orphans(limit: u32) -> String {
    format!(
        "SELECT m.order_id, MIN(m.received_at), MIN(o.token) FROM {MESSAGES} AS m \
         LEFT JOIN {ATTEMPTS} AS o ON o.token = m.token WHERE {IS_ORPHAN} \
         GROUP BY m.order_id ORDER BY MIN(m.received_at), m.order_id LIMIT {limit}"
    )
}

pub(super) fn messages_of_order() -> String {
    format!(
        "SELECT {OF_MESSAGE} FROM {MESSAGES} AS m WHERE m.order_id = ? ORDER BY m.received_at, m.token, m.digest"
    )
}

/// All messages after a key (`token`, `token`, `digest`).
pub(super) fn export_messages(limit: u32) -> String {
    format!(
        "SELECT {OF_MESSAGE} FROM {MESSAGES} AS m WHERE m.token > ? OR (m.token = ? AND m.digest > ?) \
         ORDER BY m.token, m.digest LIMIT {limit}"
    )
}

/// A person's note, which nobody needs to see (`token`, `digest`, `order_id`, `body`).
pub(super) const INSERT_NOTE: &str = "INSERT INTO merchantpay_messages \
    (received_at, seen, token, digest, order_id, kind, body) SELECT {now}, 1, ?, ?, ?, 'note', ? FROM (SELECT 1 AS one) AS o";

pub(super) const IMPORT_MESSAGE: &str = "INSERT INTO merchantpay_messages \
    (token, digest, order_id, kind, body, received_at, seen) VALUES (?, ?, ?, ?, ?, ?#, ?#)";

/// Marks a message that a person has read. It is emptied now if its attempt was emptied before: a purge does not
/// meet that attempt again.
pub(super) const SEE: &str = "UPDATE merchantpay_messages SET seen = 1, \
    body = CASE WHEN EXISTS (SELECT 1 FROM merchantpay_attempts AS a WHERE a.token = merchantpay_messages.token \
    AND a.asked IS NULL) THEN '' ELSE body END WHERE token = ? AND digest = ? AND seen = 0";

/// The clock, and the value of a setting, or NULL.
pub(super) const SETTING: &str = "SELECT {now}, (SELECT value FROM merchantpay_settings WHERE name = ?)";

pub(super) const SETTINGS_LIKE: &str =
    "SELECT name, value FROM merchantpay_settings WHERE name >= ? AND name < ? ORDER BY name";

pub(super) const SET_ONCE: &str = "INSERT INTO merchantpay_settings (name, value) VALUES (?, ?)";

pub(super) fn set(dialect: Dialect) -> String {
    match dialect {
        Dialect::Mysql => format!("{SET_ONCE} ON DUPLICATE KEY UPDATE value = VALUES(value)"),
        _ => format!("{SET_ONCE} ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"),
    }
}

pub(super) const DELETE_SETTING: &str = "DELETE FROM merchantpay_settings WHERE name = ?";
