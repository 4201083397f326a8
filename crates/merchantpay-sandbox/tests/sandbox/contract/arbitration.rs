//! Receipts and cancelling (contract, sections 3, 4.5 and 4.7).

use merchantpay::{Code, Outcome, Reason, Receipt, Status};

use crate::common::{ACCOUNT, awaiting, client, request, sandbox, until};

const PDF: &[u8] = b"%PDF-1.4\n%%EOF\n";

fn receipt(order_id: &str) -> Receipt {
    let mut receipt = Receipt::new(order_id);
    receipt.add_bytes("receipt.pdf", "application/pdf", PDF).unwrap();
    receipt
}

#[test]
fn receipt_ends_arbitration() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    for (account, status) in [
        ("arbitration", Status::DoneSuccess),
        ("arbitration-fails", Status::DoneFail),
        ("arbitration-again", Status::ReceiptRequired),
    ] {
        let order_id = awaiting(&client, account);
        client.confirm(&order_id).unwrap();
        until(&client, &order_id, Status::ReceiptRequired);
        let mut several = receipt(&order_id);
        let jpeg = [0xff, 0xd8, 0xff].repeat(600);
        several.add_bytes("a.jpg", "image/jpeg", &jpeg).unwrap();
        several.add_bytes("b.jpg", "image/jpg", &jpeg).unwrap();
        several.add_bytes("c.png", "image/png", b"\x89PNG\r\n\x1a\n").unwrap();
        assert_eq!(client.attach_receipt(&several).unwrap().order_id(), order_id);
        until(&client, &order_id, status);
    }
}

#[test]
fn cancel_follows_state() {
    let sandbox = sandbox();
    let client = client(&sandbox);

    let waiting = awaiting(&client, ACCOUNT);
    assert_eq!(client.cancel(&waiting).unwrap().order_id(), waiting);
    assert!(client.get_status(&waiting).unwrap().is_final());

    let disputed = awaiting(&client, "arbitration");
    client.confirm(&disputed).unwrap();
    until(&client, &disputed, Status::ReceiptRequired);
    client.cancel(&disputed).unwrap();
    until(&client, &disputed, Status::ArbitrageCancelledByMerchant);

    let done = awaiting(&client, ACCOUNT);
    client.confirm(&done).unwrap();
    until(&client, &done, Status::DoneSuccess);
    let failed = awaiting(&client, "payment-fails");
    client.confirm(&failed).unwrap();
    until(&client, &failed, Status::DoneFail);
    let confirmed = awaiting(&client, "stays-pending");
    client.confirm(&confirmed).unwrap();
    let free = client
        .new_payment_async(&request("stays-free").credentials_webhook_url("http://127.0.0.1:9/"))
        .unwrap();
    for order_id in [&waiting, &disputed, &done, &failed, &confirmed, free.order_id()] {
        let before = client.get_status(order_id).unwrap();
        let error = client.cancel(order_id).unwrap_err();
        assert_eq!(
            (error.code(), error.outcome(), error.http_status()),
            (Code::Rejected, Outcome::Rejected, Some(403))
        );
        assert_eq!(
            (error.reason(), error.order_id()),
            (Some(Reason::PaymentCouldNotBeCanceled), Some(order_id))
        );
        assert_eq!(
            client.get_status(order_id).unwrap().status(),
            before.status(),
            "a refused cancel changes nothing"
        );
    }
}

#[test]
fn rejects_steps_out_of_order() {
    let sandbox = sandbox();
    let client = client(&sandbox);
    let order_id = awaiting(&client, "stays-pending");
    assert_eq!(client.attach_receipt(&receipt(&order_id)).unwrap_err().code(), Code::Rejected);
    client.confirm(&order_id).unwrap();
    let again = client.confirm(&order_id).unwrap_err();
    assert_eq!((again.code(), again.reason()), (Code::Rejected, None));
    assert_eq!(
        client.attach_receipt(&receipt("sb-nobody")).unwrap_err().reason(),
        Some(Reason::OrderNotFound)
    );
}

#[test]
fn receipts_up_to_32_mib_arrive() {
    let sandbox = sandbox();
    let client = client(&sandbox).derive(crate::common::PATIENCE);
    let order_id = awaiting(&client, "arbitration-again");
    client.confirm(&order_id).unwrap();
    let attach = |size: usize| {
        until(&client, &order_id, Status::ReceiptRequired);
        let mut receipt = Receipt::new(&order_id);
        receipt
            .add_bytes("r.pdf", "application/pdf", &[b"%PDF-1.4\n", vec![b'x'; size].as_slice()].concat())
            .unwrap();
        client.attach_receipt(&receipt)
    };
    for size in [3_000_000, 33_000_000] {
        assert_eq!(attach(size).unwrap().order_id(), order_id, "{size}");
    }
    let error = attach(34_000_000).unwrap_err();
    assert_eq!((error.code(), error.http_status()), (Code::Rejected, Some(413)), "{error}");
    assert_eq!(error.description(), Some("the request is too large"));
}
