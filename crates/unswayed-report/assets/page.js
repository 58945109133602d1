"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, words) => Object.assign(document.createElement("div"), { className: name, textContent: words });

  // Light or dark: as the system says, until the button is pressed. Nothing is stored.
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  theme.setAttribute("aria-label", "Switch between light and dark");
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  system.addEventListener("change", nameTheme);
  nameTheme();

  // Commands can be copied.
  const copy = async (words, source) => {
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      getSelection().selectAllChildren(source);
      document.execCommand("copy");
    }
  };
  for (const button of all("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = button.parentElement.querySelector("pre");
      await copy(source.textContent, source);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }

  for (const figure of all("figure")) {
    const off = new Set();
    const hidden = (series) => series.split(" ").some((name) => off.has(name));

    // Legend entries switch their series.
    for (const button of all(".legend button", figure)) {
      button.addEventListener("click", () => {
        const name = button.dataset.series;
        if (!off.delete(name)) off.add(name);
        button.setAttribute("aria-pressed", String(!off.has(name)));
        for (const part of all(".plot [data-series]", figure)) part.classList.toggle("off", hidden(part.dataset.series));
      });
    }

    // The words at the pointer or at the focus. Browsers' own tooltips would cover them.
    const tip = make("tip", "");
    tip.hidden = true;
    tip.setAttribute("role", "status");
    figure.append(tip);
    const hide = () => { tip.hidden = true; };
    const fill = (hit) => {
      tip.replaceChildren();
      for (const [series, name, value] of JSON.parse(hit.dataset.tip)) {
        if (hidden(series)) continue;
        const row = make("", "");
        const entry = series && figure.querySelector(`.legend [data-series="${series.split(" ")[0]}"] svg`);
        if (entry) row.append(entry.cloneNode(true));
        row.append(make("name", name), make("value", value));
        tip.append(row);
      }
    };
    const show = (hit) => {
      fill(hit);
      tip.hidden = false;
      const box = figure.getBoundingClientRect();
      const at = hit.querySelector(".glow").getBoundingClientRect();
      const right = at.right - box.left + 10;
      const left = at.left - box.left - 10 - tip.offsetWidth;
      const clamp = (x, most) => Math.max(0, Math.min(x, most));
      const x = right + tip.offsetWidth <= box.width || left < 0 ? right : left;
      tip.style.left = `${clamp(x, box.width - tip.offsetWidth)}px`;
      tip.style.top = `${clamp(at.top - box.top + 6, box.height - tip.offsetHeight)}px`;
    };

    for (const plot of all(".plot", figure)) {
      const title = plot.querySelector("title");
      plot.setAttribute("aria-label", title.textContent);
      plot.removeAttribute("aria-labelledby");
      plot.setAttribute("aria-describedby", plot.querySelector("desc").id);
      for (const words of all("title", plot)) words.remove();
      const hits = all(".hit", plot);
      const columns = Number(figure.dataset.columns) || 1;
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -hits.length, End: hits.length };
      if (hits.length) hits[0].setAttribute("tabindex", "0");
      hits.forEach((hit, i) => {
        hit.addEventListener("pointerenter", () => show(hit));
        hit.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
        hit.addEventListener("click", () => { hit.focus(); show(hit); });
        hit.addEventListener("focus", () => show(hit));
        hit.addEventListener("blur", hide);
        hit.addEventListener("keydown", (event) => {
          if (event.key === "Escape") hide();
          if (!(event.key in steps)) return;
          event.preventDefault();
          const next = hits[Math.max(0, Math.min(hits.length - 1, i + steps[event.key]))];
          hit.setAttribute("tabindex", "-1");
          next.setAttribute("tabindex", "0");
          next.focus();
        });
      });
    }
  }
})();
