//! The reply of an endpoint, before it is signed.

use merchantpay::Reason;

use crate::base::assumptions;
use crate::base::json::{Fields, Value, object};

/// An HTTP status and a JSON body.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn success(mut fields: Fields) -> Reply {
        fields.insert(0, ("success", Value::Flag(true)));
        Reply { status: 200, body: object(&fields) }
    }

    /// The common error body (contract, section 4).
    pub(crate) fn refusal(status: u16, description: &str) -> Reply {
        Reply {
            status,
            body: object(&[("success", Value::Flag(false)), ("errorDescription", Value::text(description))]),
        }
    }

    pub(crate) fn reason(status: u16, reason: Reason) -> Reply {
        Reply::refusal(status, reason.text())
    }

    /// The simplified body of `/available` (contract, section 4.1).
    pub(crate) fn simplified(error: &str) -> Reply {
        Reply { status: assumptions::BAD_REQUEST, body: object(&[("error", Value::text(error))]) }
    }

    /// The error of `/cancel`, which names the order (contract, section 4.5).
    pub(crate) fn not_cancelled(status: u16, reason: Reason, order_id: &str) -> Reply {
        let description = ("errorDescription", Value::text(reason.text()));
        let fields = [("success", Value::Flag(false)), ("orderId", Value::text(order_id)), description];
        Reply { status, body: object(&fields) }
    }

    pub(crate) fn invalid(field: &str) -> Reply {
        Reply::refusal(assumptions::BAD_REQUEST, &format!("invalid {field}"))
    }
}
