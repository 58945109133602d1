// What if: sliders, and the answers of the worker.
(() => {
  const panel = document.getElementById("live");
  if (!panel) return;
  const text = (id) => document.getElementById(id).textContent;
  const run = JSON.parse(text("live-run"));
  const verdict = document.getElementById("live-verdict");
  const command = document.getElementById("live-command");
  const save = document.getElementById("live-save");
  const reset = document.getElementById("live-reset");
  const names = ["poison_rate", "learning_rate", "regularization", "radius"];
  const setting = { ...run.setting };

  // A slider is logarithmic; what it sets has two digits, so that it can be typed.
  const ends = {
    poison_rate: [1e-3, 0.3],
    learning_rate: [1e-6, 1],
    regularization: [1e-5, 10],
    radius: [run.setting.radius / 10, run.setting.radius * 10],
  };
  const dial = (name) => {
    const slider = document.getElementById(`live-${name}`);
    const field = slider.nextElementSibling;
    const [low, high] = ends[name].map(Math.log);
    const show = () => {
      const place = setting[name] > 0 ? (Math.log(setting[name]) - low) / (high - low) : 0;
      slider.value = String(Math.round(place * Number(slider.max)));
      slider.setAttribute("aria-valuetext", String(setting[name]));
      if (document.activeElement !== field) field.value = String(setting[name]);
    };
    slider.addEventListener("input", () => {
      const value = Math.exp(low + (high - low) * (Number(slider.value) / Number(slider.max)));
      setting[name] = Number(value.toPrecision(2));
      field.value = String(setting[name]);
      slider.setAttribute("aria-valuetext", field.value);
      ask();
    });
    field.addEventListener("input", () => {
      const value = Number(field.value);
      field.setAttribute("aria-invalid", String(field.value.trim() === "" || !Number.isFinite(value)));
      if (field.value.trim() === "" || !Number.isFinite(value)) return;
      setting[name] = value;
      show();
      ask();
    });
    return show;
  };
  const dials = names.map(dial);

  const say = (words, isError) => {
    verdict.textContent = words;
    verdict.classList.toggle("failed", Boolean(isError));
  };
  const flags = () => names.map((name) => `--${name.replace("_", "-")} ${setting[name]}`).join(" ");

  let worker = null;
  let busy = false;
  let next = false;
  let shown = null;
  const ask = () => {
    command.textContent = `${run.command} ${flags()}`;
    reset.hidden = names.every((name) => setting[name] === run.setting[name]);
    panel.classList.add("stale");
    if (busy) {
      next = true;
      return;
    }
    busy = true;
    next = false;
    worker.postMessage({ setting: { ...setting, radius: run.implied && setting.radius === run.setting.radius ? 0 : setting.radius } });
  };

  const fill = (answer, milliseconds) => {
    for (const cell of panel.querySelectorAll("[data-key]")) {
      const value = answer[cell.dataset.key];
      cell.textContent = answer.shown[cell.dataset.key];
      cell.dataset.value = String(value);
      cell.nextElementSibling.firstElementChild.style.width = `${100 * Math.min(1, Math.max(0, value))}%`;
    }
    const status = { certified: "", vacuous: " No better than a model that never learns.", "not converged": " A better bound may exist." };
    say(`✓ Verified in exact arithmetic, in your browser, in ${Math.ceil(milliseconds)} ms.${status[answer.status]}`);
    shown = answer;
    save.hidden = false;
    panel.dataset.milliseconds = String(milliseconds);
    panel.dataset.status = answer.status;
  };
  const fail = (words) => {
    for (const cell of panel.querySelectorAll("[data-key]")) {
      cell.textContent = "–";
      delete cell.dataset.value;
      cell.nextElementSibling.firstElementChild.style.width = "0";
    }
    shown = null;
    save.hidden = true;
    panel.dataset.status = "none";
    say(`There is no bound here: ${words}`, true);
  };

  save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([shown.certificate], { type: "application/json" }));
    link.download = `what-if.eta${setting.learning_rate}-sigma${setting.regularization}-eps${setting.poison_rate}-radius${setting.radius}.certificate.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  reset.addEventListener("click", () => {
    Object.assign(setting, run.setting);
    dials.forEach((show) => show());
    ask();
  });

  const start = () => {
    worker = new Worker(URL.createObjectURL(new Blob([text("live-worker")], { type: "text/javascript" })));
    worker.addEventListener("message", ({ data }) => {
      busy = false;
      // If there is a newer question, this answer stays pale: it is not for what the sliders say.
      if (data.answer) fill(data.answer, data.milliseconds);
      else fail(data.error);
      if (next) return ask();
      panel.classList.remove("stale");
      panel.dataset.settled = command.textContent;
    });
    worker.addEventListener("error", (event) => say(`The solver cannot run here: ${event.message}`, true));
    dials.forEach((show) => show());
    say("Starting …");
    busy = true;
    command.textContent = `${run.command} ${flags()}`;
    const first = { ...setting, radius: run.implied ? 0 : setting.radius };
    worker.postMessage({ module: text("live-module"), page: text("live-page"), setting: first });
  };
  try {
    start();
  } catch (error) {
    say(`The solver cannot run here: ${error.message}`, true);
  }
})();
