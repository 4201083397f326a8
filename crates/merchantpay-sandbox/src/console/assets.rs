//! The files beside the pages. They are part of the program, so that nothing is fetched from elsewhere.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::layout;

const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><rect width=\"16\" height=\"16\" rx=\"3\" \
     fill=\"#ffd43b\"/><path d=\"M3 5h10M3 8h10M3 11h6\" stroke=\"#241c00\" stroke-width=\"1.6\"/></svg>";

pub(super) fn router() -> Router {
    Router::new()
        .route("/console/style.css", get(async || file("text/css; charset=utf-8", include_str!("style.css"))))
        .route(
            "/console/script.js",
            get(async || file("text/javascript; charset=utf-8", include_str!("script.js"))),
        )
        .route("/console/icon.svg", get(async || file("image/svg+xml", ICON)))
}

fn file(content_type: &'static str, text: &'static str) -> Response {
    let mut response = ([(header::CONTENT_TYPE, content_type)], text).into_response();
    layout::guard_headers(&mut response);
    response
}
