// Tables that can be sorted and taken along as CSV.

function cellValue(cell) {
  return cell.dataset.v ?? cell.querySelector("bdi")?.textContent ?? cell.textContent;
}

function sortable(table) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (head.classList.contains("picture")) return;
    const button = el("button", { type: "button", class: "sort" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].sort((one, other) => {
        const [a, b] = [one, other].map((row) => cellValue(row.cells[column]));
        const order = a === "" || b === "" ? (a === "") - (b === "")
          : isNaN(a) || isNaN(b) ? b.localeCompare(a) : b - a;
        return down ? order : -order;
      });
      body.append(...rows);
    });
  });
}

// A spreadsheet would run a text that begins like a formula (formats/table.py); a negative
// number is none.
function csvCell(text) {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// The cells that hold text or numbers, not pictures of them.
function cellsOf(row) {
  return [...row.cells].filter((cell) => !cell.classList.contains("picture"));
}

function csvRows(table) {
  const heads = cellsOf(table.tHead.rows[0]).map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const ranges = heads.map((_, at) => rows.some((row) => cellsOf(row)[at]?.dataset.low));
  const wide = (values) =>
    values.flatMap(([value, low, high], at) => (ranges[at] ? [value, low, high] : [value]));
  return [
    wide(heads.map((head) => [head, `${head} low`, `${head} high`])),
    ...rows.map((row) =>
      wide(
        cellsOf(row).map((cell) => [
          cellValue(cell).trim(),
          cell.dataset.low ?? "",
          cell.dataset.high ?? "",
        ]),
      ),
    ),
  ];
}

function download(name, rows) {
  const text = rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
  // Some spreadsheets take UTF-8 for something else without the mark.
  const url = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv" }));
  const link = el("a", { href: url, download: name.replace(/[^\w.-]+/g, "-") + ".csv" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function csvButton(name, rows) {
  return el(
    "button",
    { type: "button", class: "csv", onclick: () => download(name, rows()) },
    "CSV",
    el("span", { class: "unseen" }, ` of ${name}`),
  );
}

for (const table of document.querySelectorAll("table[data-csv]")) {
  if ("sortable" in table.dataset) sortable(table);
  table.parentElement.after(csvButton(table.dataset.csv, () => csvRows(table)));
}
