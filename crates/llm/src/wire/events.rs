//! Server-sent events cut out of bytes as they arrive. Only their data is kept: the format has no other use for them.

#[derive(Default)]
pub(super) struct Events {
    bytes: Vec<u8>,
    /// Where the line begins that has not been read yet.
    line: usize,
    /// Up to where there is certainly no end of that line.
    looked: usize,
    data: Vec<u8>,
    /// `data` has been handed out and belongs to the event before.
    given: bool,
}

impl Events {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.line);
        self.looked -= self.line;
        self.line = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Nothing more will come: what is there is an event, blank line or not.
    pub fn end(&mut self) {
        self.feed(b"\n\n");
    }

    /// Bytes that are no event yet.
    pub fn waiting(&self) -> usize {
        self.bytes.len() - self.line + self.data.len()
    }

    /// The data of the next whole event. Several lines of it are joined by line ends, as the standard has it.
    pub fn next(&mut self) -> Option<&[u8]> {
        if self.given {
            self.given = false;
            self.data.clear();
        }
        while let Some(length) = self.bytes[self.looked..].iter().position(|byte| *byte == b'\n') {
            let end = self.looked + length;
            let line = &self.bytes[self.line..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            (self.line, self.looked) = (end + 1, end + 1);
            if line.is_empty() && !self.data.is_empty() {
                self.given = true;
                return Some(&self.data);
            }
            if let Some(data) = line.strip_prefix(b"data:") {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(data.trim_ascii());
            }
        }
        self.looked = self.bytes.len();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Events;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let (mut events, mut all) = (Events::default(), Vec::new());
        let mut drain = |events: &mut Events| {
            while let Some(data) = events.next() {
                all.push(String::from_utf8(data.to_vec()).expect("text"));
            }
        };
        for piece in pieces {
            events.feed(piece);
            drain(&mut events);
        }
        events.end();
        drain(&mut events);
        all
    }

    #[test]
    fn only_data_is_kept() {
        assert_eq!(read(&[b": waiting\n\nevent: message\nid: 3\ndata: {\"a\":1}\n\ndata:[DONE]\n\n"]), ["{\"a\":1}", "[DONE]"]);
        assert_eq!(read(&[b"data: {\ndata: }\n\n\n\n"]), ["{\n}"], "lines of one event belong together");
        assert_eq!(read(&[b"data: last"]), ["last"], "an end is an end");
        assert!(read(&[b"\n\ndata:\n\n<html>"]).is_empty());
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_cut(texts in prop::collection::vec("[^\r\n]{1,20}", 1..6), cut in 1usize..9, crlf in any::<bool>()) {
            let texts: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
            let end = if crlf { "\r\n" } else { "\n" };
            let wire: String = texts.iter().map(|text| format!(": hush{end}data: {text}{end}{end}")).collect();
            let pieces: Vec<&[u8]> = wire.as_bytes().chunks(cut).collect();
            prop_assert_eq!(read(&pieces), texts);
        }
    }
}
