// Starts the page: reads the data, connects the controls, and draws.

const SELECTS = ["topic", "member", "cause"];

async function start() {
  const read = await readDocument();
  state.notes = read.notes;
  state.made = read.made;
  state.groups = read.groups.map((raw) => groupOf(raw, read.coding, read.texts));
  if (!state.groups.length) return nothing();
  startTheme();
  startTimeline();
  startPointing();
  startOverview();
  startList();
  startControls();
  for (const listener of [drawDetails, drawFigures, drawControls]) whenChanged(listener);
  readHash();
  window.addEventListener("hashchange", readHash);
  window.addEventListener("beforeprint", () => onPaper(true));
  window.addEventListener("afterprint", () => onPaper(false));
  document.documentElement.dataset.ready = "yes";
}

function nothing() {
  document.querySelector("main").replaceChildren(element("p", { cls: "note" }, "This log contains no groups."));
}

function button(id, act) {
  document.getElementById(id).addEventListener("click", act);
}

function chooser(id, act) {
  document.getElementById(id).addEventListener("change", (event) => act(event.target.value));
}

function startControls() {
  button("zoom-in", () => zoom(0.5));
  button("zoom-out", () => zoom(2));
  button("earlier", () => pan((state.from - state.to) / 4));
  button("later", () => pan((state.to - state.from) / 4));
  button("zoom-all", lookAll);
  chooser("zone", (value) => update({ utc: value === "utc" }));
  const select = document.getElementById("group");
  const isAmbiguous = new Set(state.groups.map((group) => group.name)).size < state.groups.length;
  const text = (group) => (isAmbiguous ? `${group.name} (${group.cluster || "cluster unknown"})` : group.name);
  select.replaceChildren(...state.groups.map((group, place) => element("option", { value: place }, text(group))));
  chooser("group", (value) => chooseGroup(state.groups[value]));
  for (const name of SELECTS) chooser(name, (value) => update({ [name]: value, scroll: 0 }));
  document.getElementById("fit").addEventListener("change", (event) => update({ fit: event.target.checked, scroll: 0 }));
}

function drawControls(names) {
  const { group } = state;
  if (names.has("group")) {
    document.getElementById("group").value = state.groups.indexOf(group);
    fillSelect("topic", "All topics", group.topics.map((topic) => [topic, topic]));
    fillSelect("member", "All members", group.members.map((member) => [member.id, member.label]));
    fillSelect("cause", "All causes", group.causes.map((cause) => [cause, cause]));
  }
  for (const name of SELECTS) document.getElementById(name).value = state[name];
  document.getElementById("fit-field").hidden = group.lanes.length <= 16;
  document.getElementById("zone").value = state.utc ? "utc" : "local";
}

function fillSelect(name, all, options) {
  const made = [["", all], ...options].map(([value, text]) => element("option", { value }, text));
  document.getElementById(name).replaceChildren(...made);
}

function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const select = document.getElementById("theme");
  try { select.value = localStorage.getItem("kafka-nextgen-theme") || "system"; } catch { /* storage is unavailable: use the default */ }
  const current = () => (select.value === "system" ? (dark.matches ? "dark" : "light") : select.value);
  dark.addEventListener("change", () => setTheme(current()));
  chooser("theme", (value) => {
    try { localStorage.setItem("kafka-nextgen-theme", value); } catch { /* storage is unavailable: the choice is not saved */ }
    setTheme(current());
  });
  setTheme(current());
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  readColours();
  if (state.group) update({ theme });
}

// Print layout: light theme, page width, everything in view, no controls.
function onPaper(isPrinting) {
  const before = state.theme;
  document.documentElement.dataset.theme = isPrinting ? "light" : before;
  readColours();
  timeline.paper = isPrinting ? 1000 : null;
  drawTimeline();
  drawLegend();
  if (isPrinting) printRows();
  else drawRows();
}

start();
