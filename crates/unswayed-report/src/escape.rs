//! Text in HTML and SVG.

/// The text with the characters replaced that mean something in markup; control characters, which XML does not
/// allow, become spaces.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Letters, digits, `-` and `_`; all else becomes `_`. Fit for file names and for identifiers in a page.
pub fn slug(id: &str) -> String {
    let clean: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' })
        .take(80)
        .collect();
    if clean.is_empty() { "figure".into() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(
            escape("<script>alert('x') & \"y\"</script>"),
            "&lt;script&gt;alert(&#39;x&#39;) &amp; &quot;y&quot;&lt;/script&gt;"
        );
        assert_eq!(escape("a\u{0}b\u{1b}c"), "a b c");
    }

    #[test]
    fn names_of_files_stay_in_their_folder() {
        assert_eq!(slug("../../etc/passwd"), "______etc_passwd");
        assert_eq!(slug(""), "figure");
        assert_eq!(slug("loss-2_b"), "loss-2_b");
    }
}
