//! `journal …`: payments by the merchant's own order numbers. An order number has at most one payment that a
//! customer can pay.

mod attention;
mod display;
mod entries;
mod payments;
mod receive;
mod settle;
mod upkeep;

use crate::args::journal::JournalCommand;
use crate::output::Failure;

pub(crate) fn run(command: &mut JournalCommand) -> Result<(), Failure> {
    match command {
        JournalCommand::Init(arguments) => upkeep::init(arguments),
        JournalCommand::Pay(arguments) => payments::pay(arguments),
        JournalCommand::Replace(arguments) => payments::replace(arguments),
        JournalCommand::Confirm(arguments) => payments::confirm(arguments),
        JournalCommand::Cancel(arguments) => payments::cancel(arguments),
        JournalCommand::Wait(arguments) => payments::wait(arguments),
        JournalCommand::Receive(arguments) => receive::receive(arguments),
        JournalCommand::Settle(arguments) => settle::settle(arguments),
        JournalCommand::Show(arguments) => entries::show(arguments),
        JournalCommand::List(arguments) => entries::list(arguments),
        JournalCommand::News(arguments) => entries::news(arguments),
        JournalCommand::Acknowledge(arguments) => entries::acknowledge(arguments),
        JournalCommand::Attention(arguments) => attention::attention(arguments),
        JournalCommand::Resolve(arguments) => attention::resolve(arguments),
        JournalCommand::Schema { dialect } => upkeep::schema(dialect),
        JournalCommand::Stats(arguments) => upkeep::stats(arguments),
        JournalCommand::Backup(arguments) => upkeep::backup(arguments),
        JournalCommand::Restored(arguments) => upkeep::restored(arguments),
        JournalCommand::Pause(arguments) => upkeep::pause(arguments),
        JournalCommand::Resume(arguments) => upkeep::resume(arguments),
        JournalCommand::Forget(arguments) => upkeep::forget(arguments),
        JournalCommand::Export(arguments) => upkeep::export(arguments),
        JournalCommand::Import(arguments) => upkeep::import(arguments),
        JournalCommand::Purge(arguments) => upkeep::purge(arguments),
        JournalCommand::AllowKey(arguments) => upkeep::allow_key(arguments),
        JournalCommand::AllowUrl(arguments) => upkeep::allow_url(arguments),
    }
}
