"use strict";

// A count with its noun: "1 line", "2 lines".
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// Sorts and filters the rows of the overview. One listener serves all rows.
function setUpOverview(table) {
  const body = table.tBodies[0];
  const headers = Array.from(table.tHead.rows[0].cells);
  const filter = document.getElementById("filter");
  const status = document.getElementById("shown");
  // The page has each package before its classes, sorted by name.
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains("package")) {
      groups.push({ row, classes: [] });
    } else {
      const name = row.cells[0].textContent.trim().toLowerCase();
      groups[groups.length - 1].classes.push({ row, name });
    }
  }
  const classes = groups.flatMap((group) => group.classes);
  let column = 0;
  let descending = false;

  // What a row is sorted by; null where the cell has no value.
  function keyOf(row) {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    if (text === "") {
      return null;
    }
    return headers[column].classList.contains("number") ? Number(text) : text;
  }

  // Rows without a value come last in both directions.
  function compare(first, second) {
    if (first.key === null || second.key === null) {
      return (first.key === null) - (second.key === null);
    }
    const order = typeof first.key === "number" ? first.key - second.key : first.key.localeCompare(second.key);
    return descending ? -order : order;
  }

  // The rows in their new order. Packages stand only between classes that are sorted by name.
  function sortedRows() {
    if (column > 0) {
      const keyed = classes.map(({ row }) => ({ row, key: keyOf(row) }));
      return groups.map((group) => group.row).concat(keyed.sort(compare).map(({ row }) => row));
    }
    const inOrder = (list) => (descending ? list.slice().reverse() : list);
    return inOrder(groups).flatMap((group) => [group.row].concat(inOrder(group.classes).map(({ row }) => row)));
  }

  function sortRows() {
    const fragment = document.createDocumentFragment();
    fragment.append(...sortedRows());
    body.append(fragment);
    table.classList.toggle("flat", column > 0);
    headers.forEach((header, place) => {
      if (place === column) {
        header.setAttribute("aria-sort", descending ? "descending" : "ascending");
      } else {
        header.removeAttribute("aria-sort");
      }
    });
  }

  function filterRows() {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const group of groups) {
      const before = shown;
      for (const { row, name } of group.classes) {
        row.hidden = !name.includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      group.row.hidden = shown === before;
    }
    status.textContent = wanted === "" ? "" : `Classes shown: ${shown} of ${classes.length}`;
  }

  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) {
      const chosen = headers.indexOf(button.parentElement);
      descending = chosen === column && !descending;
      column = chosen;
      sortRows();
    }
  });
  filter.addEventListener("input", filterRows);
  // A browser keeps the text of the field when it loads the page again.
  filterRows();
}

// Shows which lines the chosen tests cover, and which tests cover a chosen line.
function setUpClass(table) {
  const status = document.getElementById("covering");
  const list = document.getElementById("tests");
  const buttons = list ? Array.from(list.querySelectorAll("button")) : [];
  const rows = Array.from(table.querySelectorAll("tr[data-tests]"));
  const flowParts = Array.from(document.querySelectorAll("#flows svg [data-tests]"));

  // The tests that cover a row or a part of a drawing.
  function testsOf(row) {
    return row.dataset.tests === "" ? [] : row.dataset.tests.split(" ");
  }

  function highlightLines() {
    const pressed = buttons.filter((button) => button.getAttribute("aria-pressed") === "true");
    const chosen = new Set(pressed.map((button) => button.dataset.test));
    const lines = new Set();
    for (const row of rows) {
      const isCovered = testsOf(row).some((test) => chosen.has(test));
      row.classList.toggle("chosen", isCovered);
      if (isCovered) {
        lines.add(row.cells[0].textContent);
      }
    }
    for (const part of flowParts) {
      part.classList.toggle("chosen", testsOf(part).some((test) => chosen.has(test)));
    }
    const verb = pressed.length === 1 ? "covers" : "cover";
    status.textContent = pressed.length === 0
      ? "No test is chosen."
      : `${counted(pressed.length, "chosen test")} ${verb} ${counted(lines.size, "line")}. A bar marks them.`;
  }

  function describeLine(row) {
    const line = `Line ${row.cells[0].textContent}`;
    if (row.dataset.tests === undefined) {
      status.textContent = `${line} has no code.`;
      return;
    }
    const names = testsOf(row).map((test) => buttons[Number(test)].textContent);
    status.textContent = names.length === 0
      ? `No test covers line ${row.cells[0].textContent}.`
      : `${line} is covered by ${counted(names.length, "test")}: ${names.join(", ")}.`;
  }

  if (list) {
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        highlightLines();
      }
    });
  }
  table.addEventListener("click", (event) => {
    const link = event.target.closest("th a");
    if (link) {
      describeLine(link.closest("tr"));
    }
  });
}

// Builds a path through a method from the ways that are chosen one after the other.
function setUpFlow(flow) {
  const output = flow.querySelector("output");
  const clear = flow.querySelector(".clear");
  const asked = flow.querySelector(".asked-path");
  const line = asked.querySelector(".line");
  const copied = asked.querySelector("[role=status]");
  const buttons = Array.from(flow.querySelectorAll(".ways button"));
  const drawn = Array.from(flow.querySelectorAll("svg [data-way]"));
  let path = [];

  function blocksOfPath() {
    return path.map((way) => buttons[way].dataset.from).concat(buttons[path[path.length - 1]].dataset.to);
  }

  // The blocks of the path, and the conditions on it: "B0 B1 where a > b".
  function textOfPath() {
    if (path.length === 0) {
      return "none";
    }
    const blocks = blocksOfPath();
    const conditions = path.map((way) => buttons[way].querySelector("code")?.textContent).filter(Boolean);
    return blocks.join(" ") + (conditions.length > 0 ? ` where ${conditions.join(", then ")}` : "");
  }

  function showPath() {
    const onPath = new Set(path);
    buttons.forEach((button, way) => button.setAttribute("aria-pressed", String(onPath.has(way))));
    drawn.forEach((part) => part.classList.toggle("on-path", onPath.has(Number(part.dataset.way))));
    output.textContent = textOfPath();
    clear.disabled = path.length === 0;
    asked.hidden = path.length === 0;
    line.textContent = path.length === 0 ? "" : `${flow.dataset.method}: ${blocksOfPath().join(" ")}`;
    copied.textContent = "";
  }

  // A page from the disk may lack the clipboard: then the line is selected at least.
  function copyLine() {
    const range = document.createRange();
    range.selectNodeContents(line);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    copied.textContent = document.execCommand("copy") ? "copied" : "selected";
  }

  // A way that does not begin where the path ends begins a new one.
  function choose(way) {
    const continues = path.length > 0 && buttons[path[path.length - 1]].dataset.to === buttons[way].dataset.from;
    path = continues ? path.concat(way) : [way];
    showPath();
  }

  flow.querySelector(".ways").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) {
      choose(Number(button.dataset.way));
    }
  });
  for (const part of drawn) {
    part.addEventListener("click", () => choose(Number(part.dataset.way)));
  }
  asked.querySelector(".copy").addEventListener("click", copyLine);
  clear.addEventListener("click", () => {
    path = [];
    showPath();
  });
}

const overview = document.getElementById("classes");
if (overview) {
  setUpOverview(overview);
}
const lines = document.getElementById("lines");
if (lines) {
  setUpClass(lines);
}
document.querySelectorAll("#flows .flow").forEach(setUpFlow);
