//! The files that pages load. They are part of the program, so that nothing is fetched from other servers.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use crate::pages;

pub(super) fn router() -> Router {
    Router::new()
        .route("/console/style.css", get(async || file("text/css; charset=utf-8", pages::STYLE)))
        .route(
            "/console/script.js",
            get(async || file("text/javascript; charset=utf-8", include_str!("script.js"))),
        )
        .route("/console/icon.svg", get(async || file("image/svg+xml", pages::ICON)))
}

fn file(content_type: &'static str, text: &'static str) -> Response {
    let mut response = ([(header::CONTENT_TYPE, content_type)], text).into_response();
    pages::guard_file(response.headers_mut());
    response
}
