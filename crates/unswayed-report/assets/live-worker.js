"use strict";
// Runs the solver and the exact checker beside the page, so that sliders never wait.
let module = null;
let page = null;
let live = null;

const put = (text) => {
  const bytes = new TextEncoder().encode(text);
  const at = live.take(bytes.length);
  new Uint8Array(live.memory.buffer, at, bytes.length).set(bytes);
};

const get = (length) => {
  const text = new TextDecoder().decode(new Uint8Array(live.memory.buffer, live.give(), Math.abs(length)));
  if (length < 0) throw new Error(text);
  return text;
};

const start = async () => {
  live = (await WebAssembly.instantiate(module, {})).exports;
  put(page);
  get(live.open());
};

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      const packed = Uint8Array.from(atob(data.module), (letter) => letter.charCodeAt(0));
      const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
      page = data.page;
    }
    if (!live) await start();
    const { poison_rate, learning_rate, regularization, radius } = data.setting;
    const began = performance.now();
    const answer = get(live.answer(poison_rate, learning_rate, regularization, radius));
    postMessage({ answer: JSON.parse(answer), milliseconds: performance.now() - began });
  } catch (error) {
    // After a trap the module's memory is not to be trusted.
    if (error instanceof WebAssembly.RuntimeError) live = null;
    postMessage({ error: error.message });
  }
};
