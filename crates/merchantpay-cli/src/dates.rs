//! Reads and writes dates and durations as people write them.

use std::ffi::OsString;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use merchantpay::{Error, Result};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A number with its unit, such as 500ms; 0 needs no unit.
pub(crate) fn time(text: &str) -> std::result::Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => 0,
    };
    let ms = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    ms.filter(|_| unit > 0 || text == "0")
        .map(Duration::from_millis)
        .ok_or_else(|| "a time must be a number with ms, s, m, h or d, such as 10s".to_owned())
}

pub(crate) fn milliseconds(text: &str) -> std::result::Result<u64, String> {
    time(text).map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

pub(crate) fn duration(text: &str) -> Result<Duration> {
    match time(text) {
        Ok(Duration::ZERO) => Err(Error::invalid_argument("a time must not be 0")),
        time => time.map_err(Error::invalid_argument),
    }
}

/// Packages of version 0.3 start the program with `--pace-ms 20`: rewrites that to `--pace 20ms`.
pub(crate) fn with_units(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let (mut is_own, mut needs_unit) = (true, false);
    let with_unit = |word: OsString| {
        is_own &= word != "--";
        let Some(text) = word.to_str().filter(|_| is_own) else { return word };
        let former = text.strip_prefix("--").and_then(|flag| flag.split_once("-ms"));
        let is_value = std::mem::replace(&mut needs_unit, former.is_some_and(|(_, rest)| rest.is_empty()));
        match former {
            Some((flag, "")) => format!("--{flag}").into(),
            Some((flag, value)) if value.starts_with('=') => format!("--{flag}{value}ms").into(),
            _ if is_value && text.bytes().all(|byte| byte.is_ascii_digit()) => format!("{text}ms").into(),
            _ => word,
        }
    };
    arguments.into_iter().map(with_unit).collect()
}

/// A date is midnight in UTC. The result is in milliseconds since 1970.
pub(crate) fn moment(text: &str) -> Result<i64> {
    let read = |text: &str| OffsetDateTime::parse(text, &Rfc3339);
    let moment = read(text).or_else(|_| read(&format!("{text}T00:00:00Z")));
    let moment = moment.map_err(|_| {
        Error::invalid_argument("a date must have the form 2026-01-31 or 2026-01-31T12:00:00Z")
    })?;
    i64::try_from(moment.unix_timestamp_nanos() / 1_000_000)
        .map_err(|_| Error::invalid_argument("the date is too far in the future or in the past"))
}

/// In milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// In milliseconds since 1970.
pub(crate) fn ago(age: Duration) -> Result<i64> {
    let moment = now().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    match moment {
        0.. => Ok(moment),
        _ => Err(Error::invalid_argument("the time reaches back to before 1970")),
    }
}

pub(crate) fn text(ms: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000)).ok();
    moment.and_then(|moment| moment.format(&Rfc3339).ok()).unwrap_or_else(|| ms.to_string())
}

pub(crate) fn relative(ms: i64) -> String {
    distance(now().saturating_sub(ms))
}

/// In the largest unit that fits at least twice, so that rounding never loses much.
fn distance(ms: i64) -> String {
    let seconds = ms.unsigned_abs() / 1000;
    let units = [(86_400, "days"), (3600, "hours"), (60, "min")];
    let (number, unit) = units
        .iter()
        .find(|(length, _)| seconds >= 2 * length)
        .map_or((seconds, "s"), |(length, unit)| (seconds / length, *unit));
    match ms {
        _ if seconds == 0 => "now".to_owned(),
        0.. => format!("{number} {unit} ago"),
        _ => format!("in {number} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_has_a_unit_unless_it_is_0() {
        for (text, ms) in [
            ("500ms", 500),
            ("10s", 10_000),
            ("5m", 300_000),
            ("1h", 3_600_000),
            ("2d", 172_800_000),
            ("0", 0),
            ("0s", 0),
        ] {
            assert_eq!(time(text), Ok(Duration::from_millis(ms)), "{text}");
            assert_eq!(duration(text).is_ok(), ms > 0, "{text}");
        }
        for text in ["", "10", "00", "s", "-1s", "1.5s", "10 s", "10S", "99999999999999999d", "1s1"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn former_ms_flags_get_a_unit() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (former, now) in [
            ("sandbox --pace-ms 20 --port 0", "sandbox --pace 20ms --port 0"),
            ("new --timeout-ms=5 --sum 20", "new --timeout=5ms --sum 20"),
            ("status --timeout-ms soon 7", "status --timeout soon 7"),
            ("sandbox -- shop --pace-ms 20", "sandbox -- shop --pace-ms 20"),
        ] {
            assert_eq!(with_units(words(former)), words(now));
        }
    }

    #[test]
    fn distance_has_largest_fitting_unit() {
        for (seconds, text) in [
            (0, "now"),
            (1, "1 s ago"),
            (119, "119 s ago"),
            (120, "2 min ago"),
            (7199, "119 min ago"),
            (7200, "2 hours ago"),
            (172_800, "2 days ago"),
            (-5, "in 5 s"),
            (-600, "in 10 min"),
        ] {
            assert_eq!(distance(seconds * 1000), text);
        }
    }

    #[test]
    fn date_is_day_or_moment_in_utc() {
        for (date, ms) in [
            ("1970-01-01", 0),
            ("2026-01-01", 1_767_225_600_000),
            ("2026-01-01T00:00:00Z", 1_767_225_600_000),
            ("2026-01-01T03:00:00.500+03:00", 1_767_225_600_500),
            ("1969-12-31", -86_400_000),
        ] {
            assert_eq!(moment(date).unwrap(), ms, "{date}");
        }
        for date in
            ["", "yesterday", "2026-02-30", "2026-1-1", "01.02.2026", "2026-01-01T00:00:00", "1767225600"]
        {
            assert!(moment(date).is_err(), "{date}");
        }
        assert_eq!(
            (text(1_767_225_600_500), text(-1)),
            ("2026-01-01T00:00:00Z".to_owned(), "1969-12-31T23:59:59Z".to_owned())
        );
    }
}
