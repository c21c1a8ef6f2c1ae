//! Server-sent events cut out of bytes as they arrive. Only their data is kept: the format has no other use for them.

#[derive(Default)]
pub(super) struct Events {
    bytes: Vec<u8>,
    /// Where the line begins that has not been read yet.
    line: usize,
    /// Up to where there is certainly no end of that line.
    looked: usize,
    /// Bytes were read: a mark at the beginning is looked for once.
    begun: bool,
    /// The line before ended with CR: an LF that follows belongs to it.
    after_cr: bool,
    data: Vec<u8>,
    /// There is a line of data, be it empty.
    any: bool,
    /// `data` has been handed out and belongs to the event before.
    given: bool,
}

impl Events {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.line);
        self.looked -= self.line;
        self.line = 0;
        self.bytes.extend_from_slice(bytes);
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if !self.begun && self.bytes.len() >= MARK.len() {
            self.begun = true;
            if self.bytes.starts_with(MARK) {
                self.bytes.drain(..MARK.len());
                self.looked = 0;
            }
        }
    }

    /// Nothing more will come: what is there is an event, blank line or not.
    pub fn end(&mut self) {
        self.feed(b"\n\n\n");
    }

    /// The data of the next whole event. Several lines of it are joined by line ends, as the standard has it; a line ends with LF, CR or both.
    pub fn next(&mut self) -> Option<&[u8]> {
        if self.given {
            (self.given, self.any) = (false, false);
            self.data.clear();
        }
        loop {
            if self.after_cr && self.looked < self.bytes.len() {
                self.after_cr = false;
                if self.bytes[self.looked] == b'\n' {
                    (self.line, self.looked) = (self.looked + 1, self.looked + 1);
                }
            }
            let Some(length) = memchr::memchr2(b'\n', b'\r', &self.bytes[self.looked..]) else { break };
            let end = self.looked + length;
            self.after_cr = self.bytes[end] == b'\r';
            let line = &self.bytes[self.line..end];
            (self.line, self.looked) = (end + 1, end + 1);
            if line.is_empty() && self.any {
                if !self.data.is_empty() {
                    self.given = true;
                    return Some(&self.data);
                }
                self.any = false;
            }
            if let Some(data) = line.strip_prefix(b"data:") {
                if self.any {
                    self.data.push(b'\n');
                }
                self.any = true;
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
        assert_eq!(read(&[b"\xef\xbb", b"\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\ndata: c\n\n"]), ["a", "c"], "a mark is one at the beginning only");
        assert_eq!(read(&[b"data: a\r\rdata: b\r", b"\ndata: c\r\n\r", b"\ndata: d\r", b"\rdata: e"]), ["a", "b\nc", "d", "e"]);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_where_the_bytes_are_cut(texts in prop::collection::vec("[^\r\n]{1,20}", 1..6), cut in 1usize..9, end in prop::sample::select(vec!["\n", "\r\n", "\r"])) {
            let texts: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
            let wire: String = texts.iter().map(|text| format!(": hush{end}data: {text}{end}{end}")).collect();
            let pieces: Vec<&[u8]> = wire.as_bytes().chunks(cut).collect();
            prop_assert_eq!(read(&pieces), texts);
        }
    }
}
