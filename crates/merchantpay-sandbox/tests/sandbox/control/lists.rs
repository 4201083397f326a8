//! Lists: searched, filtered for refusals, and cleared.

use merchantpay::{Client, Config, Keypair, Status};
use serde_json::{Value, json};

use crate::api::Api;
use crate::common::{ACCOUNT, PATIENCE, awaiting, client, request, sandbox, until};
use crate::control::database::{File, start};
use crate::receiver::Receiver;

fn texts<'a>(document: &'a Value, list: &str, name: &str) -> Vec<&'a str> {
    document[list].as_array().unwrap().iter().map(|row| row[name].as_str().unwrap()).collect()
}

fn delete(api: &Api, path: &str) -> Value {
    let reply = api.send("DELETE", path, &[], None);
    assert_eq!(reply.status, 200, "{path}");
    reply.json()
}

#[test]
fn search_matches_ids_and_account() {
    let sandbox = sandbox();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    let other = awaiting(&client, "79000000000");
    let wanted = client.new_payment(&request("79001112233").merchant_id("invoice-17")).unwrap();
    for text in [&wanted.order_id()[3..15], "111223", "voice-1"] {
        let found = api.get(&format!("/sandbox/payments?search={text}"));
        assert_eq!(texts(&found, "payments", "orderId"), [wanted.order_id()], "{text}");
    }
    let all = api.get("/sandbox/payments?search=7900");
    assert_eq!(texts(&all, "payments", "orderId"), [wanted.order_id(), other.as_str()]);
    assert_eq!(api.get("/sandbox/payments?search=nobody")["payments"], json!([]));
}

#[test]
fn refused_exchanges_filter_and_note_existence() {
    let sandbox = sandbox();
    let (client, api) = (client(&sandbox), Api::of(&sandbox));
    let order_id = awaiting(&client, ACCOUNT);
    assert!(client.confirm("sb-nobody").is_err());
    let other = Keypair::generate().unwrap();
    let config = Config::new(
        sandbox.url(),
        sandbox.merchant_key_id(),
        other.private_key().clone(),
        sandbox.server_public_key(),
    );
    assert!(Client::new(config).unwrap().confirm(&order_id).is_err());

    let refused = api.get("/sandbox/exchanges?refused=true");
    assert_eq!(texts(&refused, "exchanges", "orderId"), [order_id.as_str(), "sb-nobody"]);
    let exists = |index: usize| refused["exchanges"][index]["orderExists"].clone();
    assert_eq!((exists(0), exists(1)), (json!(true), json!(false)));
    assert_eq!(api.get("/sandbox/exchanges")["exchanges"].as_array().unwrap().len(), 3);
    assert_eq!(api.send("GET", "/sandbox/exchanges?refused=yes", &[], None).status, 400);
}

#[test]
fn clearing_lists_keeps_unfinished() {
    let file = File::new("lists");
    let (order_id, ended) = {
        let sandbox = start(&file.options());
        let (client, api) = (client(&sandbox), Api::of(&sandbox));
        let receiver = Receiver::start(&sandbox, &[]);
        let ended = client.new_payment(&request(ACCOUNT).status_webhook_url(&receiver.url)).unwrap();
        client.confirm(ended.order_id()).unwrap();
        until(&client, ended.order_id(), Status::DoneSuccess);
        sandbox.wait_for_delivery(ended.order_id(), "status", PATIENCE).unwrap();
        let order_id = awaiting(&client, ACCOUNT);

        assert_eq!(delete(&api, "/sandbox/payments"), json!({"cleared": 1}));
        let left = api.get("/sandbox/payments");
        assert_eq!(texts(&left, "payments", "orderId"), [order_id.as_str()]);
        assert_eq!(api.get("/sandbox/webhooks")["webhooks"][0]["orderExists"], false);
        assert_eq!(delete(&api, "/sandbox/webhooks"), json!({"cleared": 1}));
        assert_eq!(api.get("/sandbox/webhooks")["webhooks"], json!([]));
        delete(&api, "/sandbox/exchanges");
        assert_eq!(api.get("/sandbox/exchanges")["exchanges"], json!([]));

        client.confirm(&order_id).unwrap();
        let next = awaiting(&client, ACCOUNT);
        let newest = api.get("/sandbox/payments");
        assert_eq!(texts(&newest, "payments", "orderId"), [next.as_str(), order_id.as_str()]);
        (order_id, ended.order_id().to_owned())
    };
    let sandbox = start(&file.options());
    let client = client(&sandbox);
    until(&client, &order_id, Status::DoneSuccess);
    assert!(client.get_status(&ended).is_err(), "the file has forgotten it, too");
}
