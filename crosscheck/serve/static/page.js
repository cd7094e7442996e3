// What the three pages do. Parts of a page come from the server, where every word of a stranger's
// is escaped; this file only says which part goes where.
(() => {
  "use strict";

  const $ = (id) => document.getElementById(id);
  const result = $("result"), state = $("state"), problem = $("problem");

  const say = (text) => { state.textContent = text; };
  const complain = (text) => {
    problem.hidden = !text;
    problem.textContent = text ?? "";
  };

  class Refusal extends Error {}

  const ask = async (address, options = {}) => {
    let answer;
    try {
      answer = await fetch(address, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Refusal("the server does not answer: is it still running?");
    }
    if (answer.ok) return answer;
    const text = await answer.text();
    try {
      throw new Refusal(JSON.parse(text).detail);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(`the server answered ${answer.status}`);
    }
  };

  // Putting a part in place keeps the keyboard where it was.
  const put = (place, text) => {
    const held = document.activeElement?.id, start = document.activeElement?.selectionStart;
    const open = new Map([...place.querySelectorAll("details[data-part]")].map((one) => [one.dataset.part, one.open]));
    const parsed = new DOMParser().parseFromString(text, "text/html");
    place.replaceChildren(...parsed.body.childNodes);
    for (const one of place.querySelectorAll("details[data-part]")) one.open = open.get(one.dataset.part) ?? one.open;
    const again = held && place.querySelector(`#${CSS.escape(held)}`);
    if (again) {
      again.focus({ preventScroll: true });
      if (again.type === "text" && start != null) again.setSelectionRange(start, start);
    }
  };

  const save = (name, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.copy) {
      const text = $(button.dataset.copy).textContent;
      try {
        await navigator.clipboard.writeText(text);
        say("Copied.");
      } catch {
        getSelection().selectAllChildren($(button.dataset.copy));
        say("Selected: copy it with the keyboard.");
      }
    } else if (button?.dataset.save) {
      save(button.dataset.name, $(button.dataset.save).textContent);
    }
  });

  for (const input of document.querySelectorAll('input[type="file"]')) {
    for (const kind of ["dragenter", "dragover"]) input.addEventListener(kind, () => input.classList.add("over"));
    for (const kind of ["dragleave", "drop"]) input.addEventListener(kind, () => input.classList.remove("over"));
  }

  // What is shown follows the newest question: an older answer that comes late is dropped.
  const newest = () => {
    let last = 0, running = null;
    return async (work) => {
      const mine = ++last;
      running?.abort();
      running = new AbortController();
      try {
        const found = await work(running.signal);
        return mine === last ? found : null;
      } catch (error) {
        if (error.name === "AbortError" || mine !== last) return null;
        throw error;
      }
    };
  };

  const later = (wait, work) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(work, wait);
    };
  };

  const form = (fields) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) if (value) body.append(name, value);
    return { method: "POST", body };
  };

  const names = (place) => Object.fromEntries([...place.querySelectorAll("input[data-name]")]
    .filter((one) => one.value.trim()).map((one) => [one.dataset.name, one.value.trim()]));

  // ---- Table
  const table = () => {
    const text = $("text"), reason = $("reason");
    let chosen = null;
    const latest = newest();
    const example = [
      "| Model | P@1 | Hit@1 | MRR | Recall@10 |", "|---|---|---|---|---|",
      "| Baseline | 0.554 | 0.554 | 0.675 | 0.944 |", "| Ours | 0.661 | 0.650 | 0.770 | 0.961 |",
      "| Improvement | +19.31% | +17.33% | +14.07% | +3.80% |"].join("\n");

    const settings = () => {
      const exclude = [...result.querySelectorAll("[data-exclude]:checked")].map((one) => one.dataset.exclude);
      const ignore = [...result.querySelectorAll("[data-ignore]:checked")]
        .map((one) => ({ pattern: one.dataset.ignore, reason: "said to be no claim on the page" }));
      const found = { claims: { names: names(result), exclude, ignore } };
      for (const name of ["n", "folds"]) if ($(name).value) found[name] = Number($(name).value);
      return found;
    };

    const audit = async () => {
      if (!chosen && !text.value.trim()) {
        await latest(async () => null);
        result.replaceChildren();
        reason.hidden = true;
        complain();
        say("");
        return;
      }
      say("Auditing …");
      result.classList.add("stale");
      try {
        const options = form({
          settings: JSON.stringify(settings()), form: $("form").value,
          ...(chosen ? { document: chosen } : { text: text.value }),
        });
        const shown = await latest(async (signal) => (await ask("table/audit", { ...options, signal })).text());
        if (shown === null) return;
        put(result, shown);
        reason.hidden = true;
        complain();
        say(`${result.querySelector("[data-verdict]").dataset.verdict}.`);
      } catch (error) {
        complain(error.message);
        say("");
      }
      result.classList.remove("stale");
    };
    const soon = later(350, audit);

    text.addEventListener("input", () => {
      chosen = null;
      $("document").value = "";
      soon();
    });
    for (const name of ["form", "n", "folds"]) $(name).addEventListener("input", soon);
    $("document").addEventListener("change", () => {
      chosen = $("document").files[0] ?? null;
      text.value = "";
      result.replaceChildren();
      audit();
    });
    $("example").addEventListener("click", () => {
      chosen = null;
      text.value = example;
      audit();
    });
    $("clear").addEventListener("click", () => {
      chosen = null;
      text.value = $("document").value = "";
      audit();
      text.focus();
    });
    $("ask").addEventListener("submit", (event) => event.preventDefault());
    result.addEventListener("input", (event) => {
      if (event.target.matches("input[data-name]")) soon();
    });
    result.addEventListener("change", (event) => {
      if (event.target.matches("input[type=checkbox]")) audit();
    });

    let pressed = null;
    const close = () => {
      reason.hidden = true;
      pressed?.setAttribute("aria-expanded", "false");
      pressed?.focus();
      pressed = null;
    };
    result.addEventListener("click", (event) => {
      const cell = event.target.closest("button.cell");
      if (!cell) return;
      pressed?.setAttribute("aria-expanded", "false");
      if (pressed === cell) return close();
      pressed = cell;
      cell.setAttribute("aria-expanded", "true");
      const parts = cell.dataset.numbers.split(" ").map((at) => $(`number-${at}`).cloneNode(true));
      for (const part of parts) part.removeAttribute("id");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Close";
      button.addEventListener("click", close);
      reason.replaceChildren(...parts, button);
      reason.hidden = false;
      return undefined;
    });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !reason.hidden) close();
    });
  };

  // ---- Data and claims
  const data = () => {
    let desk = null, stream = null, working = false;
    const latest = newest();
    const gate = $("gate"), cancel = $("cancel"), progress = $("progress"), outcome = $("outcome");

    const settings = () => {
      const columns = Object.fromEntries([...result.querySelectorAll("[data-column]")]
        .filter((one) => one.value).map((one) => [one.dataset.column, one.value]));
      const chosen = [...result.querySelectorAll("[data-ranking]:checked")]
        .map((one) => [one.closest(".pair").querySelector("input[type=text]").value.trim(), one.dataset.ranking]);
      const found = { columns, claims: { names: names(result) }, figures: $("figures").checked, config: $("config-text").value };
      if (result.querySelector("#rankings")) found.rankings = Object.fromEntries(chosen.filter(([name]) => name));
      const cuts = $("k").value.split(/[\s,]+/).filter(Boolean).map(Number);
      if (cuts.length) found.k = cuts;
      if ($("ties").value) found.ties = $("ties").value;
      if ($("relevance").value) found.relevance_level = Number($("relevance").value);
      if ($("witness").value) found.witnesses = [$("witness").value];
      if ($("dedupe").checked) found.dedupe = "first";
      return found;
    };
    const json = (signal) => ({
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(settings()), signal,
    });

    const work = (on) => {
      working = on;
      gate.disabled = on;
      cancel.hidden = !on;
    };

    const listen = () => {
      stream = new EventSource(`desk/${desk}/events`);
      const on = (kind, hear) => stream.addEventListener(kind, (event) => hear(JSON.parse(event.data)));
      on("waiting", (before) => { progress.textContent += `waiting: ${before} before this one\n`; });
      on("told", (line) => {
        progress.textContent += `${line}\n`;
        progress.scrollTop = progress.scrollHeight;
      });
      on("refused", (words) => finish(() => complain(words)));
      on("stopped", (words) => finish(() => (words === "cancelled" ? say("Cancelled.") : complain(words))));
      on("done", (report) => finish(() => show(report)));
    };
    const finish = (then) => {
      if (!working) return;
      work(false);
      say("");
      then();
    };

    const show = (report) => {
      say(`${report.verdict}.`);
      const word = document.createElement("p");
      word.className = `verdict-word ${report.verdict}`;
      word.textContent = report.verdict.toUpperCase();
      const told = document.createElement("p");
      told.id = "summary";
      told.textContent = report.summary.replace(/^[A-Z]+: /, "");
      const links = document.createElement("p");
      const held = report.claims ? `${report.holding} of ${report.claims} claims verified. ` : "";
      const parts = [["report.html", "Open the report by itself"], ["report.json", "report.json"], ["report.zip", "Download all of it"]];
      links.append(held, ...parts.flatMap(([file, text], at) => {
        const link = document.createElement("a");
        link.href = `desk/${desk}/report/${file}`;
        link.textContent = text;
        if (file === "report.html") link.target = "_blank";
        else link.download = file;
        return at ? [" · ", link] : [link];
      }));
      links.id = "held";
      const frame = document.createElement("iframe");
      frame.title = "The report";
      frame.setAttribute("sandbox", "allow-scripts");
      frame.src = `desk/${desk}/report/report.html`;
      outcome.replaceChildren(word, told, links, frame);
    };

    const look = async () => {
      if (!desk) return;
      say("Looking at the files …");
      try {
        const shown = await latest(async (signal) => (await ask(`desk/${desk}/look`, json(signal))).text());
        if (shown === null) return;
        put(result, shown);
        complain();
        const refused = result.querySelector("#refused, #unclaimed");
        $("job").hidden = !result.querySelector("#facts");
        gate.disabled = working || Boolean(refused);
        say(refused ? "Something is wrong with the files." : result.querySelector("#facts") ? "Ready: confirm what was read, then gate." : "");
      } catch (error) {
        complain(error.message);
        say("");
      }
    };
    const soon = later(400, look);

    const bring = async (input) => {
      const file = input.files[0], shown = $(`${input.id}-name`);
      outcome.replaceChildren();
      progress.hidden = true;
      try {
        if (!desk) {
          desk = (await (await ask("desk", { method: "POST" })).json()).id;
          listen();
        }
        if (file && file.size > Number(document.body.dataset.upload)) {
          throw new Refusal(`${file.name}: more than the ${Number(document.body.dataset.upload).toLocaleString("en")} bytes that are taken here; run the command yourself`);
        }
        if (file) {
          say(`Taking ${file.name} …`);
          const address = `desk/${desk}/${input.dataset.role}?name=${encodeURIComponent(file.name)}`;
          const taken = await (await ask(address, { method: "PUT", body: file })).json();
          shown.textContent = taken.name;
        } else {
          await ask(`desk/${desk}/${input.dataset.role}/file`, { method: "DELETE" });
          shown.textContent = "";
        }
        await look();
      } catch (error) {
        shown.textContent = "";
        complain(error.message);
        say("");
      }
    };

    for (const input of document.querySelectorAll("[data-role]")) input.addEventListener("change", () => bring(input));
    for (const name of ["k", "ties", "relevance", "dedupe", "witness", "figures", "config-text"]) $(name).addEventListener("input", soon);
    result.addEventListener("change", (event) => {
      if (event.target.matches("select, input")) look();
    });
    $("ask").addEventListener("submit", (event) => event.preventDefault());
    gate.addEventListener("click", async () => {
      progress.textContent = "";
      progress.hidden = false;
      outcome.replaceChildren();
      complain();
      work(true);
      say("The gate is at work …");
      try {
        await ask(`desk/${desk}/gate`, json());
      } catch (error) {
        work(false);
        complain(error.message);
        say("");
      }
    });
    cancel.addEventListener("click", async () => {
      try {
        await ask(`desk/${desk}/gate/job`, { method: "DELETE" });
      } catch (error) {
        complain(error.message);
      }
    });
  };

  // ---- Explain
  const explain = () => {
    const latest = newest(), cancel = $("cancel");
    const put_away = () => { cancel.hidden = true; };
    $("ask").addEventListener("submit", async (event) => {
      event.preventDefault();
      const metric = $("metric").value.trim(), value = $("value").value.trim();
      const file = $("data").files[0], qrels = $("qrels").files[0];
      const column = $("column").value.trim();
      const fields = {
        question: value ? `${metric}=${value}` : metric, data: file, qrels,
        settings: JSON.stringify(column ? { columns: { candidates: column } } : {}),
      };
      say("Working …");
      complain();
      cancel.hidden = false;
      try {
        const shown = await latest(async (signal) => (await ask("explain/answer", { ...form(fields), signal })).text());
        if (shown === null) return;
        put(result, shown);
        say("Done.");
      } catch (error) {
        result.replaceChildren();
        complain(error.message);
        say("");
      }
      put_away();
    });
    cancel.addEventListener("click", async () => {
      await latest(async () => null);
      put_away();
      say("Cancelled.");
    });
  };

  ({ table, data, explain })[document.querySelector("[aria-current]").getAttribute("href")]();
})();
