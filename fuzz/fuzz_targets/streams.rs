//! Whatever a server sends, a reader of its wire format makes a reply or a failure of it, wherever the bytes are cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use synod_config::EndpointKind;
use synod_llm::read_reply;

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let kind = [EndpointKind::OpenAi, EndpointKind::Anthropic, EndpointKind::Gemini][usize::from(choice) % 3];
    let whole = read_reply(kind, Some(bytes.len().max(1)), bytes);
    let pieces = read_reply(kind, Some(usize::from(choice) / 3 + 1), bytes);
    assert_eq!(whole.is_ok(), pieces.is_ok());
    if let (Ok(whole), Ok(pieces)) = (&whole, &pieces) {
        assert_eq!(whole, pieces);
    }
    let _ = read_reply(kind, None, bytes);
});
