"""The expected failures of opening replies."""

from .common import failure

ORDER_OPERATIONS = ("confirm", "cancel", "getStatus", "attachReceipt")

REASONS = {
    "invalid currency": "invalid_currency",
    "invalid orderId": "invalid_order_id",
    "order not found": "order_not_found",
    "invalid file format": "invalid_file_format",
    "payment could not be canceled": "payment_could_not_be_canceled",
}


def malformed(order_id="o-1"):
    return failure("malformed", "unknown", **about(order_id))


def unverified(order_id="o-1"):
    return failure("unverified", "unknown", **about(order_id))


def rejected(description=None, order_id="o-1"):
    said = {} if description is None else {"description": description}
    if description in REASONS:
        said["reason"] = REASONS[description]
    return failure("rejected", "rejected", **said, **about(order_id))


def about(order_id):
    return {} if order_id is None else {"order_id": order_id}


def own(operation):
    """None if a request of the operation has no order id."""
    return "o-1" if operation in ORDER_OPERATIONS else None
