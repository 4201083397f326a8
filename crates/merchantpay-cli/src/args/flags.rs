//! The request fields of an operation as flags. The library's table of fields defines the flags.

use std::marker::PhantomData;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use merchantpay::{REQUEST_FIELDS, RequestField, RequestValues};

use crate::settings::flag_help;

/// Chooses the request fields that a command accepts as flags.
pub(crate) trait Taken {
    /// The operation that has these fields, by its name in the contract.
    const OPERATION: &'static str;
    /// `true` if the command sets the URLs of webhooks itself, so that there are no flags for them.
    const SETS_URLS: bool;
}

macro_rules! taken {
    ($($marker:ident = $operation:literal, $sets_urls:literal;)+) => {$(
        pub(crate) struct $marker;

        impl Taken for $marker {
            const OPERATION: &'static str = $operation;
            const SETS_URLS: bool = $sets_urls;
        }
    )+};
}

taken! {
    Available = "getAvailableAmounts", false;
    New = "newPayment", false;
    NewAsync = "newPaymentAsync", false;
    // `journal pay`: each attempt has its own URLs.
    JournalPay = "newPayment", true;
}

/// The fields as the user typed them.
pub(crate) struct Fields<T> {
    pub fields: RequestValues,
    taken: PhantomData<T>,
}

fn taken<T: Taken>() -> impl Iterator<Item = &'static RequestField> {
    let is_taken = |field: &&RequestField| {
        let is_url = field.kind == merchantpay::RequestFieldKind::Url;
        field.operations.contains(&T::OPERATION) && !(is_url && T::SETS_URLS)
    };
    REQUEST_FIELDS.iter().filter(is_taken)
}

fn flag<T: Taken>(field: &RequestField) -> Arg {
    let flag = field.snake_case.replace('_', "-");
    // Accepts every value here, also a value that begins with a hyphen: the library reports a wrong value.
    Arg::new(field.snake_case)
        .value_name(field.snake_case.to_uppercase())
        .long(flag)
        .help(flag_help(field.doc))
        .required(field.required_by.contains(&T::OPERATION))
        .allow_hyphen_values(true)
}

impl<T: Taken> Args for Fields<T> {
    fn augment_args(command: Command) -> Command {
        taken::<T>().fold(command, |command, field| command.arg(flag::<T>(field)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Fields::<T>::augment_args(command)
    }
}

impl<T: Taken> FromArgMatches for Fields<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Fields<T>, clap::Error> {
        let mut read = Fields { fields: RequestValues::default(), taken: PhantomData };
        read.update_from_arg_matches(matches)?;
        Ok(read)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for field in taken::<T>() {
            if let Some(text) = matches.get_one::<String>(field.snake_case) {
                // The values remember what they refuse.
                let _ = self.fields.set(field.name, text.as_str());
            }
        }
        Ok(())
    }
}
