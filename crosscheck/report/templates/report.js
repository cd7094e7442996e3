// Search, sorting and filtering. The page says everything without it.
(() => {
  "use strict";

  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = text === "" ? NaN : Number(text.replaceAll(",", ""));
    return text === "inf" ? Infinity : Number.isNaN(number) ? text : number;
  };

  const order = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };

  const sortBy = (table, header, column) => {
    const ascending = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      if (x === "" || y === "") return order(x, y);
      return ascending ? order(x, y) : order(y, x);
    });
    table.tBodies[0].append(...rows);
  };

  for (const table of document.querySelectorAll("table[data-sort]")) {
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      button.addEventListener("click", () => sortBy(table, header, column));
      header.append(button);
    });
  }

  const searchBox = (name, apply) => {
    const tools = document.createElement("div");
    tools.className = "tools";
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "Search";
    input.setAttribute("aria-label", `Search ${name}`);
    const shown = document.createElement("output");
    shown.setAttribute("aria-live", "polite");
    input.addEventListener("input", apply);
    tools.append(input, shown);
    return { tools, input, shown };
  };

  const show = (items, test, shown) => {
    let count = 0;
    for (const item of items) {
      item.hidden = !test(item);
      count += item.hidden ? 0 : 1;
    }
    shown.textContent = count === items.length ? "" : `${count} of ${items.length}`;
  };

  for (const table of document.querySelectorAll("table[data-filter]")) {
    const items = [...table.tBodies[0].rows];
    if (items.length < 12) continue;
    const box = searchBox(table.dataset.filter, () => {
      const wanted = box.input.value.toLowerCase();
      show(items, (row) => `${row.dataset.key ?? ""} ${row.textContent}`.toLowerCase().includes(wanted), box.shown);
    });
    table.parentElement.before(box.tools);
  }

  const list = document.querySelector(".findings");
  if (list) {
    const items = [...list.children];
    const kinds = [...new Set(items.map((item) => item.dataset.kind))];
    const checks = new Map();
    const apply = () => {
      const wanted = box.input.value.toLowerCase();
      show(items, (item) => checks.get(item.dataset.kind).checked
        && item.textContent.toLowerCase().includes(wanted), box.shown);
    };
    const box = searchBox("findings", apply);
    for (const kind of kinds) {
      const label = document.createElement("label");
      const check = document.createElement("input");
      check.type = "checkbox";
      check.checked = true;
      check.addEventListener("change", apply);
      checks.set(kind, check);
      label.append(check, kind);
      box.tools.append(label);
    }
    if (items.length > 3) list.before(box.tools);
  }

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    target?.closest("details")?.setAttribute("open", "");
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => {
    for (const closed of document.querySelectorAll("details:not([open])")) closed.open = true;
  });
})();
