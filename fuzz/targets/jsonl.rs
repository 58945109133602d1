#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    unswayed_fuzz::data::reader("jsonl", input);
});
