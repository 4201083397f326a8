//! All SQL statements. Each statement is written once as a template, and rendered for each dialect. In a
//! template `?` is a text, `?#` a number, and `{now}` the database's clock in milliseconds. `{attention}` is
//! the condition that selects attempts that need an operator. `{unpurged_at}` is the column by which unpurged
//! attempts are sorted.

mod attempts;
mod claims;
mod counts;
mod opening;
mod orphans;
mod render;
mod settings;
#[cfg(test)]
mod statement_tests;

pub(crate) use attempts::{
    ACKNOWLEDGE, ACKNOWLEDGED_BY, CLAIM_NEWS, NEXT_DUE, REPORTED, attempt, attempts, attention, being_made,
    by_order, by_token, ended, export, insert_new, insert_rows, known, last, list, news, unpurged, update,
    update_claimed, update_own,
};
pub(crate) use claims::{RELEASE, claim, claimed, next_free};
pub(crate) use counts::{COUNT_BY_STANDING, COUNT_REASONS, count_up_to, counts, estimate};
pub(crate) use opening::{has_tables, opening, stored, with_opening};
pub(crate) use orphans::{
    FORGET_ORPHANS, INSERT_ORPHAN, ORPHAN, ORPHAN_COLUMNS, PURGE_ORPHANS, SEE_ORPHAN, SEE_READ_ORPHAN,
    UNSEEN_ORPHANS, UPDATE_ORPHAN, export_orphans, import_orphan, orphans, orphans_after,
};
pub(crate) use render::render;
pub(crate) use settings::{SET_RESTORED, SETTING, server, set};
