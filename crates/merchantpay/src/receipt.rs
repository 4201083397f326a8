//! Receipts for arbitration. They are stored as the multipart body that is signed and sent (contract, section
//! 4.7).

use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::request::check_order_id;

/// The content types that the service accepts (contract, section 8).
pub const RECEIPT_TYPES: &[&str] = &["application/pdf", "image/jpeg", "image/jpg", "image/png"];

/// One or more receipts for a payment.
///
/// Files are appended to the body of the request, and kept nowhere else; adding to a clone copies the body. The signed
/// content is the whole multipart body, byte for byte: the contract has no other rule (section 5).
#[derive(Clone)]
pub struct Receipt {
    order_id: String,
    boundary: String,
    /// The body is always complete: each new file is written over the closing line, and a new closing line
    /// follows.
    body: Arc<Vec<u8>>,
    files: usize,
}

impl Receipt {
    /// Makes a receipt without files. The order id is checked when the receipt is sent.
    pub fn new(order_id: impl Into<String>) -> Receipt {
        let order_id = order_id.into();
        let boundary = boundary();
        let body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"orderId\"\r\n\r\n{order_id}\r\n{}",
            closing(&boundary)
        );
        Receipt { order_id, boundary, body: Arc::new(body.into_bytes()), files: 0 }
    }

    /// Adds a file from disk: a PDF, JPEG or PNG by its first bytes, whatever its name is.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the file cannot be read, is not a regular file, is empty, or has another format.
    /// After an error the receipt is unchanged.
    pub fn add_file(&mut self, path: impl AsRef<Path>) -> Result<&mut Receipt> {
        self.read_file(path.as_ref()).map_err(|error| error.with_order_id(Some(&self.order_id)))?;
        Ok(self)
    }

    /// The name of the next file in an error. It is the file's number, because the file's own name may
    /// contain a person's name or an account.
    fn next_file(&self) -> String {
        format!("receipt file {}", self.files + 1)
    }

    fn read_file(&mut self, path: &Path) -> Result<()> {
        let file_number = self.next_file();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let unreadable =
            |error: std::io::Error| Error::invalid_argument(format!("{file_number} cannot be read: {error}"));
        // This is checked before the file is opened, because opening a FIFO would block.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(Error::invalid_argument(format!("{file_number} is not a regular file")));
        }
        let mut file = File::open(path).map_err(unreadable)?;
        let mut head = Vec::with_capacity(HEAD);
        (&mut file).take(HEAD as u64).read_to_end(&mut head).map_err(unreadable)?;
        let format = Format::of(&head, &file_number)?;
        let rest = file.metadata().map_or(0, |metadata| usize::try_from(metadata.len()).unwrap_or(0));
        self.add_part(&name, format.content_type(), rest, |body| {
            body.extend_from_slice(&head);
            file.read_to_end(body).map_err(unreadable).map(drop)
        })
    }

    /// Adds a file from memory. `content_type` is one of [`RECEIPT_TYPES`], and the one of the data.
    ///
    /// # Errors
    ///
    /// `invalid_argument` if the name or the data is empty, if the format is not supported, or if the content type
    /// is another one. After an error the receipt is unchanged.
    pub fn add_bytes(&mut self, file_name: &str, content_type: &str, data: &[u8]) -> Result<&mut Receipt> {
        self.copy_bytes(file_name, content_type, data)
            .map_err(|error| error.with_order_id(Some(&self.order_id)))?;
        Ok(self)
    }

    fn copy_bytes(&mut self, file_name: &str, content_type: &str, data: &[u8]) -> Result<()> {
        let file_number = self.next_file();
        let format = Format::of(data, &file_number)?;
        let known = RECEIPT_TYPES.iter().find(|known| known.eq_ignore_ascii_case(content_type));
        let known = known.ok_or_else(|| {
            Error::invalid_argument(format!(
                "{file_number} must have one of the content types {}",
                RECEIPT_TYPES.join(", ")
            ))
        })?;
        if format.content_type() != known.replace("jpg", "jpeg") {
            let message = format!("{file_number} is a {format:?}, but its content type is {known}");
            return Err(Error::invalid_argument(message));
        }
        self.add_part(file_name, known, data.len(), |body| {
            body.extend_from_slice(data);
            Ok(())
        })
    }

    fn add_part(
        &mut self,
        name: &str,
        content_type: &str,
        size: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        if name.is_empty() || name.len() > 255 || name.chars().any(char::is_control) {
            return Err(Error::invalid_argument(
                "the receipt's file name must have 1 to 255 bytes and no control characters",
            ));
        }
        let file_number = self.next_file();
        let closing = closing(&self.boundary);
        let body = Arc::make_mut(&mut self.body);
        let open = body.len() - closing.len();
        // Fallible, so that a large file is an error and does not end the host. The rest is for the part's head and two boundaries.
        body.try_reserve_exact(size.saturating_add(1024))
            .map_err(|_| Error::invalid_argument(format!("{file_number} does not fit in memory")))?;
        body.truncate(open);
        let head = format!(
            "--{}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\nContent-Type: {content_type}\r\n\r\n",
            self.boundary,
            name.replace('\\', "%5C").replace('"', "%22"),
        );
        body.extend_from_slice(head.as_bytes());
        let written = write(body);
        match written {
            Ok(()) => {
                body.extend_from_slice(b"\r\n");
                self.files += 1;
            }
            Err(_) => body.truncate(open),
        }
        body.extend_from_slice(closing.as_bytes());
        written
    }

    pub(crate) fn order_id(&self) -> &str {
        &self.order_id
    }

    pub(crate) fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={}", self.boundary)
    }

    pub(crate) fn body(&self) -> Result<Arc<Vec<u8>>> {
        check_order_id(&self.order_id)?;
        if self.files == 0 {
            return Err(Error::invalid_argument("a receipt needs at least one file"));
        }
        Ok(Arc::clone(&self.body))
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt")
            .field("order_id", &self.order_id)
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// The text of a boundary line. It is random, so that it occurs in no file; the keys of a [`RandomState`] are as secret
/// as that needs.
fn boundary() -> String {
    let random = RandomState::new();
    format!("merchantpay-{:016x}{:016x}", random.hash_one(0), random.hash_one(1))
}

fn closing(boundary: &str) -> String {
    format!("--{boundary}--\r\n")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "errors print the variants")]
enum Format {
    PDF,
    JPEG,
    PNG,
}

/// This many first bytes show a file's format.
const HEAD: usize = 64;

impl Format {
    fn of(head: &[u8], file_number: &str) -> Result<Format> {
        // Some programs write a byte-order mark or line ends before a PDF, and every reader accepts them.
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        match head {
            _ if text.starts_with(b"%PDF") => Ok(Format::PDF),
            [0xff, 0xd8, 0xff, ..] => Ok(Format::JPEG),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Ok(Format::PNG),
            [] => Err(Error::invalid_argument(format!("{file_number} is empty"))),
            _ => Err(Error::invalid_argument(format!(
                "{file_number} is {}; the service accepts PDF, JPEG and PNG: convert it",
                other_format(head)
            ))),
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Format::PDF => "application/pdf",
            Format::JPEG => "image/jpeg",
            Format::PNG => "image/png",
        }
    }
}

/// The name of a format that is not accepted. Phones make HEIC and AVIF, messengers WebP.
fn other_format(head: &[u8]) -> &'static str {
    match head {
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => "an AVIF image",
        [_, _, _, _, b'f', b't', b'y', b'p', b'h' | b'm', b'e' | b'i' | b's', ..] => "a HEIC image",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "a WebP image",
        [b'G', b'I', b'F', b'8', ..] => "a GIF image",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "a TIFF image",
        [b'B', b'M', ..] => "a BMP image",
        [b'P', b'K', 3 | 5, 4 | 6, ..] => "a ZIP archive or an office document",
        _ => "neither a PDF nor an image",
    }
}
