//! The journal's endurance test. Processes in several languages take the same payments over one store, while replies are
//! lost, processes are killed, connections are cut, the server is killed and restarted, and webhooks come twice and out
//! of order. Then the journal is compared with the service's list, kopeck by kopeck, and with what was shipped.

mod adapter;
mod end;
mod hooks;
mod shop;
mod workers;

use merchantpay_crash::{Kind, Servers};

use crate::AnyResult;
use crate::service::Service;
use adapter::Language;
use hooks::Hooks;
use shop::Shop;

pub(crate) struct Plan {
    pub(crate) seconds: u64,
    pub(crate) kind: Kind,
    pub(crate) processes: usize,
    pub(crate) languages: Vec<String>,
}

impl Plan {
    /// Reads `[SECONDS [STORE [PROCESSES [LANGUAGE,…]]]]`.
    pub(crate) fn read(words: &[&str]) -> AnyResult<Plan> {
        let word =
            |place: usize, default: &'static str| words.get(place).copied().unwrap_or(default).to_owned();
        let kind = Kind::from_name(&word(1, "sqlite")).ok_or("sqlite, postgresql, pgbouncer or mariadb?")?;
        Ok(Plan {
            seconds: word(0, "180").parse()?,
            kind,
            processes: word(2, "8").parse()?,
            languages: word(3, "rust,python").split(',').map(str::to_owned).collect(),
        })
    }
}

pub(crate) fn soak(plan: &Plan) -> AnyResult<()> {
    let built: AnyResult<Vec<Language>> = plan.languages.iter().map(|name| Language::build(name)).collect();
    let (languages, service) = (built?, Service::start()?);
    let (hooks, mut servers) = (Hooks::start()?, Servers::start(plan.kind));
    let shop = Shop::new(&service, &servers, hooks)?;
    service.lose_replies()?;
    let chaos = workers::run(&shop, &mut servers, &languages, plan)?;
    println!(
        "{} payments in {} s over {} by {} processes in {}; {chaos}; {} replies lost; webhooks: {}",
        shop.taken(),
        plan.seconds,
        plan.kind.name(),
        plan.processes,
        plan.languages.join(" and "),
        service.spoiled()?,
        shop.hooks
    );
    service.lose_no_more()?;
    println!("{}", end::finish(&shop, &service, &languages[0])?);
    println!("the journal and the service agree: none doubled, none lost, none shipped twice");
    Ok(())
}
