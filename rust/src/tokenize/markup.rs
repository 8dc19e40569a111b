//! What the mteval family does to a segment's text before it cuts it.

use memchr::{memchr, memchr3};
use std::borrow::Cow;

/// sacreBLEU's 13a: joins lines, drops `<skipped>`, decodes four entities in mteval's order.
pub fn western(segment: &str) -> Cow<'_, str> {
    if memchr3(b'&', b'<', b'\n', segment.as_bytes()).is_none() {
        return Cow::Borrowed(segment);
    }
    let mut text = segment.replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    if text.contains('&') {
        for (entity, character) in [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]
        {
            text = text.replace(entity, character);
        }
    }
    Cow::Owned(text)
}

/// mteval reads escaped text and decodes it in an order that also decodes a literal `&lt;`.
pub fn mteval(segment: &str) -> Cow<'_, str> {
    if memchr(b'&', segment.as_bytes()).is_none() {
        return Cow::Borrowed(segment);
    }
    Cow::Owned(segment.replace("&lt;", "<").replace("&gt;", ">"))
}
