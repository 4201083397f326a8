//! Removes informational responses (1xx) from the received bytes before ureq reads the bytes. Such responses
//! can come before the response (RFC 9110, section 15.2). ureq itself drops any number of them, so a server
//! could send them for ever. And ureq does not accept an informational response that has headers and the
//! status 100.

/// The beginning of a connection's unread bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// An informational response, or an empty line, of this length in bytes.
    Informational(usize),
    /// Too few bytes to decide, or an incomplete informational response.
    Incomplete,
    /// Any other bytes: the response begins.
    Response,
}

/// The longest head of a reply, together with all informational responses before it.
pub(super) const LONGEST_HEAD: usize = 64 * 1024;

/// The end of the status, after `HTTP/1.x `.
const END_OF_STATUS: usize = b"HTTP/1.1 100".len();

pub(super) fn start_of(input: &[u8]) -> Start {
    // ureq's parser skips empty lines before a head (RFC 9112, section 2.2). They count as bytes before the
    // response.
    match input {
        [b'\r', b'\n', ..] => return Start::Informational(2),
        [b'\n', ..] => return Start::Informational(1),
        b"\r" => return Start::Incomplete,
        _ => {}
    }
    let agrees = |version: &[u8]| input.iter().zip(version).all(|(byte, expected)| byte == expected);
    if !agrees(b"HTTP/1.1 1") && !agrees(b"HTTP/1.0 1") {
        return Start::Response;
    }
    match (input.get(..END_OF_STATUS), end_of_head(input)) {
        // The status 101 means Switching Protocols: no HTTP follows.
        (Some(status), _) if status.ends_with(b"101") => Start::Response,
        (Some(_), Some(end)) => Start::Informational(end),
        _ => Start::Incomplete,
    }
}

/// The end of the empty line after a head. Like ureq's parser, this function accepts a line feed alone as a
/// line end.
fn end_of_head(input: &[u8]) -> Option<usize> {
    let mut line_start = 0;
    for (place, _) in input.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        if matches!(&input[line_start..place], b"" | b"\r") {
            return Some(place + 1);
        }
        line_start = place + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_informational_response_ends_with_its_empty_line() {
        for head in [
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 100 Continue\r\nX: y\r\nZ:\r\n\r\n",
            "HTTP/1.0 103 Early Hints\r\nLink: </x>\r\n\r\n",
            "HTTP/1.1 199\n\n",
            "HTTP/1.1 102 \nX: y\n\r\n",
        ] {
            let length = head.len();
            let followed = format!("{head}HTTP/1.1 200 OK\r\n\r\n");
            assert_eq!(start_of(followed.as_bytes()), Start::Informational(length), "{head:?}");
            for cut in 0..length {
                assert_eq!(start_of(&head.as_bytes()[..cut]), Start::Incomplete, "{head:?} {cut}");
            }
        }
    }

    #[test]
    fn an_empty_line_before_a_head_ends_by_itself() {
        for (input, start) in [
            ("\r\n", Start::Informational(2)),
            ("\r\nHTTP/1.1 200 OK\r\n\r\n", Start::Informational(2)),
            ("\n", Start::Informational(1)),
            ("\nHTTP/1.1 100\r\n\r\n", Start::Informational(1)),
            ("\r", Start::Incomplete),
        ] {
            assert_eq!(start_of(input.as_bytes()), start, "{input:?}");
        }
    }

    #[test]
    fn what_is_no_informational_response_is_the_response() {
        for input in [
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 0",
            "HTTP/1.1  100",
            "HTTP/2 100\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "http/1.1 100\r\n\r\n",
            "x",
            "\rx",
        ] {
            assert_eq!(start_of(input.as_bytes()), Start::Response, "{input:?}");
        }
    }
}
