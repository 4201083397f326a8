//! Flags that a table defines, and the table of an operation's request fields. The program's settings are another table.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use merchantpay::{REQUEST_FIELDS, RequestFieldKind, RequestValues};

pub(crate) trait Table {
    /// Each flag with the name of its row.
    fn flags() -> Vec<(&'static str, Arg)>;
}

pub(crate) struct Flags<T>(BTreeMap<&'static str, String>, PhantomData<T>);

impl<T> Flags<T> {
    pub(crate) fn flag(&self, name: &str) -> Option<&String> {
        self.0.get(name)
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        self.0.remove(name)
    }
}

impl<T: Table> Args for Flags<T> {
    fn augment_args(command: Command) -> Command {
        command.args(T::flags().into_iter().map(|(_, arg)| arg))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::<T>::augment_args(command)
    }
}

impl<T: Table> FromArgMatches for Flags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags<T>, clap::Error> {
        let given = |(name, arg): (&'static str, Arg)| {
            let text = match arg.get_action() {
                ArgAction::SetTrue => matches.get_flag(arg.get_id().as_str()).then(|| "1".to_owned()),
                _ => matches.get_one::<String>(arg.get_id().as_str()).cloned(),
            };
            Some((name, text?))
        };
        Ok(Flags(T::flags().into_iter().filter_map(given).collect(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Turns one line of the library's tables into a flag's help, which has no full stop at its end.
pub(crate) fn flag_help(doc: &str) -> String {
    doc.replace('`', "").trim_end_matches('.').to_owned()
}

macro_rules! requests {
    ($($request:ident = $operation:literal but $left_out:expr;)+) => {$(
        pub(crate) struct $request;

        impl Table for $request {
            fn flags() -> Vec<(&'static str, Arg)> {
                flags($operation, $left_out)
            }
        }
    )+};
}

requests! {
    Available = "getAvailableAmounts" but None;
    New = "newPayment" but None;
    NewAsync = "newPaymentAsync" but None;
    // Each attempt of a journal has its own URLs.
    JournalPay = "newPayment" but Some(RequestFieldKind::Url);
}

fn flags(operation: &str, left_out: Option<RequestFieldKind>) -> Vec<(&'static str, Arg)> {
    let fields = REQUEST_FIELDS.iter().filter(|field| {
        field.operations.contains(&operation) && left_out.is_none_or(|kind| field.kind != kind)
    });
    let flag = |field: &'static merchantpay::RequestField| {
        // Accepts every value here, also a value that begins with a hyphen: the library reports a wrong value.
        let arg = Arg::new(field.snake_case)
            .value_name(field.snake_case.to_uppercase())
            .long(field.snake_case.replace('_', "-"))
            .help(flag_help(field.doc))
            .required(field.required_by.contains(&operation))
            .allow_hyphen_values(true);
        (field.name, arg)
    };
    fields.map(flag).collect()
}

impl<T> Flags<T> {
    pub(crate) fn values(&self) -> RequestValues {
        let mut values = RequestValues::default();
        for field in REQUEST_FIELDS {
            // The values remember what they refuse.
            let _ = values.set(field.name, self.flag(field.name).map(String::as_str));
        }
        values
    }
}
