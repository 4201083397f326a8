//! Simulates a day of a journal in PostgreSQL within minutes. Processes in four languages create payments. Meanwhile
//! replies are lost, and webhooks come late, twice and out of order. Two services run `settle`. Processes and a service
//! are killed. An operator pauses the journal, makes a backup, restores the old backup later, decides the open items and
//! purges. Then the service's list, the journal's rows and the shop's own books are compared. The restore must explain
//! every difference, and every item of `attention` must have its cause in the day.

mod attention;
mod ledger;
mod program;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use merchantpay_databases::backup_commands;
use merchantpay_journal::{Level, Until};

use super::audit::{DONE, Made};
use super::callbacks::Callbacks;
use super::log::Deeds;
use super::operator::{LONG, LONGEST_CLAIM, Operator};
use super::shop::{Shop, can_be_paid, number_of, reference, steadily};
use super::store::{Folder, Kind, Servers};
use super::worker::Workers;
use crate::AnyResult;
use crate::service::Service;
use attention::{Events, Explanations};
use ledger::{Agreement, Restore};
use program::{Program, Settlers};
use rows::{Row, Table};

const LANGUAGES: &str = "rust,python,php,go";

/// The shares of the day's payments after which the operator acts, in percent.
const BACKUP: usize = 45;
const RESTORE: usize = 50;
const PURGE: usize = 80;

/// The test kills a process of the merchant before the service has got this number of further payment
/// requests. The limit is not a time, so a slow machine has the same number of kills as a fast machine.
const KILL_WITHIN: u32 = 100;

/// The longest time without one more payment. The limit finds a defect; it does not measure speed.
const LONGEST: Duration = Duration::from_secs(600);

/// The longest time for which the status of one order may be asked.
const PATIENCE: Duration = Duration::from_secs(30);

struct Day<'a> {
    began: Instant,
    payments: usize,
    service: &'a Service,
    callbacks: &'a Callbacks,
    folder: &'a Folder,
    shop: Arc<Shop>,
    table: Table,
    program: &'a Program<'a>,
    workers: Workers<'a>,
    settlers: Settlers<'a>,
    operator: Operator<'a>,
    explanations: Explanations,
    restore: Restore,
}

pub(crate) fn day(payments: usize) -> AnyResult<()> {
    let (service, folder) = (Service::start()?, Folder::new()?);
    let servers = Servers::start(Kind::Postgresql, folder.path())?;
    let programs = LANGUAGES.parse::<super::Languages>()?.build(folder.path(), Kind::Postgresql)?;
    service.lose_replies()?;
    let callbacks = Callbacks::start()?;
    let program = Program::build(&service, servers.place(), folder.path(), callbacks.url())?;
    let log = folder.path().join("operator.log");
    let shop = Arc::new(Shop::open(&service.settings(), servers.place(), &log, callbacks.url(), true)?);
    callbacks.take_over(Some(Arc::clone(&shop)));
    let mut day = Day {
        began: Instant::now(),
        payments,
        service: &service,
        callbacks: &callbacks,
        folder: &folder,
        shop: Arc::clone(&shop),
        table: Table::new(servers.place()),
        program: &program,
        workers: Workers::start(&service, servers.place(), &programs, folder.path(), payments, &callbacks)?,
        settlers: Settlers::start(&program)?,
        operator: Operator::new(&service, &shop, payments),
        explanations: Explanations::default(),
        restore: Restore::default(),
    };
    println!("{payments} payments by {} over PostgreSQL, and 2 settle services", day.workers.languages());
    day.work_until(BACKUP)?;
    day.back_up()?;
    day.work_until(RESTORE)?;
    day.restore()?;
    let resumed = day.table.moment()?;
    day.work_until(PURGE)?;
    day.purge(&resumed)?;
    day.work_until(usize::MAX)?;
    day.close()?;
    day.compare()
}

impl Day<'_> {
    fn print(&self, what: impl fmt::Display) {
        println!("{:>5.0} s  {what}", self.began.elapsed().as_secs_f64());
    }

    fn sent(&self) -> AnyResult<u64> {
        Ok(self.service.requests()?.new_payments)
    }

    /// Kills one process after the other until this percentage of the payments was requested, or until all
    /// processes have finished.
    fn work_until(&mut self, percent: usize) -> AnyResult<()> {
        let enough = self.payments.saturating_mul(percent) / 100;
        while !self.workers.have_finished() && self.sent()? < enough as u64 {
            self.await_payments(u64::from(getrandom::u32()? % KILL_WITHIN))?;
            match getrandom::u32()? % 9 {
                0 => self.settlers.kill_the_second()?,
                _ => self.workers.kill_one()?,
            }
        }
        Ok(())
    }

    /// Waits until the service has got this many more requests for payments, or until all processes have
    /// finished.
    fn await_payments(&mut self, more: u64) -> AnyResult<()> {
        let (enough, end) = (self.sent()? + more, Instant::now() + LONGEST);
        while !self.workers.have_finished() && self.sent()? < enough {
            self.workers.check()?;
            if Instant::now() > end {
                return Err("no more payments are taken".into());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Makes the operator's decisions. Each item must have a cause. Returns the number of items: while payments are
    /// taken, more items may come.
    fn decide(&mut self) -> AnyResult<usize> {
        let Day { operator, explanations, workers, restore, .. } = self;
        let events = Events { kills: workers.kills(), restore };
        operator.decide(|item, listed| explanations.explain(item, listed, &events))
    }

    fn back_up(&mut self) -> AnyResult<()> {
        self.decide()?;
        let [backup, ..] = backup_commands();
        let [pause, dump, resume] = backup.lines().collect::<Vec<_>>()[..] else {
            return Err("the page's backup has other commands".into());
        };
        self.program.shell(pause)?;
        self.print("paused for a backup");
        let sent = self.sent()?;
        if !self.shop.is_paused() {
            return Err("a payment is not refused during the pause".into());
        }
        self.program.shell(dump)?;
        if self.sent()? != sent {
            return Err("a payment was sent during the pause".into());
        }
        let rows = self.table.rows()?.len();
        self.program.shell(resume)?;
        self.print(format_args!(
            "resumed; {rows} rows are in the backup, payments were refused, and none was sent"
        ));
        Ok(())
    }

    /// Restores the backup with the steps of docs/journal.md.
    fn restore(&mut self) -> AnyResult<()> {
        self.callbacks.take_over(None);
        self.workers.stop()?;
        self.settlers.stop()?;
        let truth = self.table.rows()?;
        let [_, restore, ..] = backup_commands();
        self.program.shell(restore)?;
        let restored = self.table.rows()?;
        let made = self.made()?;
        let newest = truth.iter().map(|row| row.created_at).max().unwrap_or_default();
        self.restore = Restore::new(newest + 1, &made, &truth, &restored);
        self.print(format_args!(
            "restored: of {} rows {} are missing, and {} are older than the truth",
            truth.len(),
            self.restore.missing.len(),
            self.restore.older.len()
        ));

        let sent = self.sent()?;
        self.callbacks.take_over(Some(Arc::clone(&self.shop)));
        self.settlers.start_again()?;
        let shipped = Deeds::read(self.folder.path())?.shipped;
        for row in self.table.rows()?.iter().filter(|row| row.standing == "open") {
            let patience = if shipped.contains_key(&row.reference) { PATIENCE } else { Duration::ZERO };
            steadily(|| self.shop.journal.wait(&row.reference, patience, Until::Final))?;
        }
        while self.decide()? > 0 {}
        let acknowledged = self.acknowledge(&shipped)?;
        // The journal refuses the payments of these processes until the operator resumes the journal. The
        // processes retry for at most a minute.
        self.workers.start_again()?;
        if !self.shop.is_paused() || self.sent()? != sent {
            return Err("the restored journal is not paused".into());
        }
        self.program.journal(&[
            "resume",
            "--note",
            "decided what support knows; nobody decided missing rows",
        ])?;
        self.print(format_args!(
            "resumed: {acknowledged} entries were acknowledged again, because the shop had shipped them; no payment was sent"
        ));
        Ok(())
    }

    /// Acknowledges again the payments that the shop had shipped before the restore.
    fn acknowledge(&self, shipped: &BTreeMap<String, u32>) -> AnyResult<usize> {
        let mut count = 0;
        for row in self.table.rows()?.iter().filter(|row| is_news(row) && row.status.as_deref() == Some(DONE))
        {
            let level =
                i32::try_from(row.reported).ok().and_then(Level::from_number).ok_or("an unknown level")?;
            if shipped.contains_key(&row.reference) {
                steadily(|| self.shop.journal.acknowledge_by(&row.reference, row.attempt, level))?;
                count += 1;
            }
        }
        Ok(count)
    }

    fn purge(&mut self, before: &str) -> AnyResult<()> {
        self.decide()?;
        let printed = self.program.journal(&["purge", "--before", before])?;
        let rows = self.table.rows()?;
        let purged: Vec<&Row> = rows.iter().filter(|row| row.purged).collect();
        let done = purged.iter().find(|row| row.standing == "final").ok_or("nothing was purged")?;
        let entry = self.shop.journal.find(&done.reference)?.ok_or("a purged row is gone")?;
        if entry.payment().is_some() || entry.order_id() != done.order_id.as_deref() {
            return Err(format!("{entry:?} was purged wrongly").into());
        }
        self.shop.take(number_of(entry.reference())?)?;
        let again = self.shop.journal.find(&done.reference)?;
        if again
            .is_none_or(|again| again.attempt() != entry.attempt() || again.order_id() != entry.order_id())
        {
            return Err(format!("{} was purged, and was paid again", done.reference).into());
        }
        self.print(format_args!("purged {} of {} rows: {}", purged.len(), rows.len(), printed.trim_end()));
        Ok(())
    }

    /// Ends the day: waits until every payment has ended.
    fn close(&mut self) -> AnyResult<()> {
        let (lost, lost_payments) = (self.service.spoiled()?, self.service.lost_payments()?);
        self.workers.stop()?;
        self.service.lose_no_more()?;
        self.callbacks.deliver_what_is_late()?;
        self.print(format_args!(
            "all payments are taken; replies lost: {lost}; callbacks: {}",
            self.callbacks
        ));
        let made = self.made()?;
        let ordered = made.iter().map(|made| ledger::attempt_of(&made.merchant_id).0.to_owned()).collect();
        let (mut fewest, mut end) = (usize::MAX, Instant::now() + LONGEST_CLAIM);
        loop {
            while self.shop.turn(100)? {}
            while self.decide()? > 0 {}
            let rows = self.table.rows()?;
            let open = self.go_on(&rows, &ordered)?;
            if open == 0 {
                break;
            }
            if open < fewest {
                (fewest, end) = (open, Instant::now() + LONGEST_CLAIM);
            } else if Instant::now() > end {
                return Err(format!("{open} payments do not end").into());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        self.settlers.stop()?;
        self.explanations.check_lost_responses(lost_payments)?;
        self.print(format_args!(
            "all payments have ended; {} attempts were settled by the services",
            self.settlers.done()?
        ));
        Ok(())
    }

    /// Calls `pay` again for each payment that has not ended. Returns the number of these payments.
    fn go_on(&self, rows: &[Row], ordered: &HashSet<String>) -> AnyResult<usize> {
        let waits_for_the_killed = self.payments >= LONG;
        // The rows are in the order of their attempts, so the map keeps the last attempt of each reference.
        let last: HashMap<&str, &Row> = rows.iter().map(|row| (row.reference.as_str(), row)).collect();
        let mut open = 0;
        for row in rows {
            let is_last = last.get(row.reference.as_str()).is_some_and(|last| last.attempt == row.attempt);
            let number = || number_of(&row.reference);
            let has_ended = match row.standing.as_str() {
                "final" => true,
                "refused" => !is_last || !can_be_paid(number()?),
                "superseded" => row.order_id.is_none() || row.status.as_deref().is_some_and(is_final),
                "sending" => !waits_for_the_killed,
                _ => false,
            };
            if !has_ended && is_last {
                self.shop.take(number()?)?;
                steadily(|| self.shop.journal.wait(&row.reference, Duration::ZERO, Until::Final))?;
            }
            open += usize::from(!has_ended || is_news(row) && waits_for_the_killed);
        }
        // If a row is missing but the service's support knows an order, no other payment is created.
        for number in 0..self.payments {
            let reference = reference(number);
            if !last.contains_key(reference.as_str()) && !ordered.contains(&reference) {
                self.shop.take(number)?;
                open += 1;
            }
        }
        Ok(open)
    }

    fn made(&self) -> AnyResult<Vec<Made>> {
        self.service.listed()?.iter().map(Made::read).collect()
    }

    fn compare(&self) -> AnyResult<()> {
        let (made, rows, deeds) = (self.made()?, self.table.rows()?, Deeds::read(self.folder.path())?);
        let agreement = ledger::compare(&made, &rows, &deeds, &self.restore)?;
        let (requests, attempts) = (self.sent()?, rows.len() + self.restore.missing.len());
        if requests > attempts as u64 {
            return Err(format!("{requests} requests for {attempts} attempts").into());
        }
        let kills = self.workers.kills().len();
        // A process may have been killed after it acknowledged a payment and before it noted the shipping. So
        // each kill allows one payment without a note.
        let is_unshipped = |row: &&Row| row.succeeded() && !deeds.shipped.contains_key(&row.reference);
        let unshipped = rows.iter().filter(is_unshipped).count();
        if self.payments >= LONG && unshipped > kills {
            return Err(format!("{unshipped} paid references were not shipped").into());
        }
        println!("{}", self.explanations);
        for double in &agreement.doubles {
            println!("{double}");
        }
        println!("{agreement}");
        println!(
            "{requests} requests for {attempts} attempts; {kills} processes and {} services killed",
            self.settlers.killed
        );
        let hand_outs: Vec<_> =
            deeds.hand_outs.iter().map(|(whose, count)| format!("{count} by {whose}")).collect();
        println!(
            "credentials were handed out {}; {} references shipped",
            hand_outs.join(", "),
            deeds.shipped.len()
        );
        if let Some(idle) = LANGUAGES.split(',').find(|language| !deeds.hand_outs.contains_key(*language)) {
            return Err(format!("no process in {idle} has handed out any credentials").into());
        }
        println!(
            "{} payments in {:.0} s: the ledgers agree",
            self.payments,
            self.began.elapsed().as_secs_f64()
        );
        Ok(())
    }
}

/// Returns `true` if the row's reported level is above the acknowledged level.
fn is_news(row: &Row) -> bool {
    row.acknowledged < row.reported
}

fn is_final(status: &str) -> bool {
    merchantpay::Status::from(status.to_owned()).is_final()
}

impl fmt::Display for Agreement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Agreement { known, never_shown, lost, doubles, shipped_again, paid: [at_service, here, of_lost] } =
            self;
        let twice = doubles.iter().filter(|double| double.is_paid_twice()).count();
        write!(
            f,
            "ledger: {at_service} kopecks paid at the service = {here} in the journal's rows + {of_lost} of {} orders whose rows the \
             restore took; {known} orders agree, {never_shown} were shown to nobody\n\
             doubles: {}, all by missing rows, {twice} of them paid twice; {shipped_again} shipped again",
            lost.len(),
            doubles.len()
        )
    }
}
