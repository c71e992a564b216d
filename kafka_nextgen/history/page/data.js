// Reads the data block, and decodes its columns into arrays.

async function readDocument() {
  const block = document.getElementById("facts");
  const text = block.dataset.coding === "deflate" ? await inflated(block.textContent) : block.textContent;
  return JSON.parse(text);
}

async function inflated(packed) {
  const bytes = Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

// Decode the table of one kind of fact: {rows: 3, began: [..], member: [..]}; unknown values are null.
function decodedTable(raw, coding, texts) {
  if (!raw) return { rows: 0 };
  const table = { rows: raw.rows };
  for (const [name, cells] of Object.entries(raw)) {
    if (name !== "rows") table[name] = decodedColumn(name, spread(cells, raw.rows), coding, texts);
  }
  for (const [name, base] of Object.entries(coding.from)) {
    if (!(name in table)) continue;
    table[name] = table[name].map((value, row) => (value === null ? null : value + (table[base][row] ?? 0)));
  }
  return table;
}

function spread(cells, rows) {
  return Array.isArray(cells) ? cells : new Array(rows).fill(cells);
}

function decodedColumn(name, cells, coding, texts) {
  if (coding.texts.includes(name)) return cells.map((place) => (place === null ? null : texts[place]));
  if (!coding.growing.includes(name)) return cells;
  let value = 0;
  return cells.map((step) => (step === null ? null : (value += step)));
}

// The first index in a sorted array whose value is greater than `limit`.
function firstAbove(values, limit, low = 0) {
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
