// The side panel: details of the selected rebalance, or what stands out.

const MOST_TOLD = 6;

function drawDetails(names) {
  if (!["group", "chosen", "utc"].some((name) => names.has(name))) return;
  const side = document.getElementById("details");
  side.replaceChildren(...(state.chosen === null ? standOuts() : chosenDetails(state.chosen)));
}

function chosenDetails(row) {
  const { rebalances } = state.group;
  const step = (by, text, label) => element("button", { type: "button", "aria-label": label, title: label, on: { click: () => chooseNext(by) } }, text);
  const head = element("div", { cls: "details-head" },
    element("h2", {}, causeGlyph(rebalances.cause[row]), `Epoch ${rebalances.epoch[row]}`),
    step(-1, "\u25c0", "Previous rebalance"), step(1, "\u25b6", "Next rebalance"),
    element("button", { type: "button", "aria-label": "Close", title: "Close", on: { click: () => choose(null) } }, "\u2715"));
  return [head, facts(row), ...holdupsOf(row), ...standsOf(row), ...trouble(row)];
}

function facts(row) {
  const table = state.group.rebalances;
  const told = [
    ["Cause", table.cause[row] || "unknown"], ["Caused by", memberName(table.by[row])], ["Reason", table.reason[row]],
    ["Began", timeText(table.began[row], 1)], ["Took", table.ended[row] === null ? "not over" : durationText(tookOf(row))],
    ["Members", table.members[row]], ["Moved", `${table.moved[row]} of ${table.partitions[row]}${table.needless[row] ? `, ${table.needless[row]} needlessly` : ""}`],
    ["Owned", `${table.fewest[row]} to ${table.most[row]} per member`], ["Stood still", `${durationText(table.stood[row])} at most, ${durationText(table.stood_ms[row])} summed over partitions`],
    ["Lag", table.lag_before[row] === null ? null : `${countText(table.lag_before[row])} \u2192 ${countText(table.lag_after[row])} (${lagGrowth(table, row)})`],
    ["Held up by", heldText(row)],
    ["Slowest", table.slowest[row] && `${memberName(table.slowest[row])}, after ${durationText(table.slowest_ms[row])}`],
    ["Doubts", table.marks[row]],
  ];
  return element("dl", {}, ...told.filter(([, value]) => value !== null && value !== "").flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function heldText(row) {
  const held = holdingUp(row);
  if (held === null) return null;
  const part = mostPart(held);
  return `${memberName(state.group.holdups.member[held])}: ${part} ${durationText(state.group.holdups[`${part}_ms`][held])}`;
}

function holdupsOf(row) {
  const { holdups, rebalances } = state.group;
  const rows = (holdups.byEpoch.get(rebalances.epoch[row]) || []).filter(spent).sort((a, b) => spent(b) - spent(a));
  if (!rows.length) return [];
  const shownRows = rows.slice(0, 8);
  const bars = shownRows.map((each) => element("div", { cls: "holdup" },
    element("div", {}, element("span", {}, memberName(holdups.member[each])), element("span", {}, durationText(spent(each)))),
    partsBar(holdups, each, spent(rows[0]))));
  return [element("h3", {}, `What delayed members${rows.length > 8 ? `, 8 of ${rows.length}` : ""}`), ...bars, element("div", { cls: "parts-legend" }, ...partNames())];
}

function partNames() {
  return PARTS.map((part) => element("span", {}, element("i", { cls: part }), part));
}

function standsOf(row) {
  const { standstills } = state.group;
  const rows = [...standsIn(state.group, row)].sort((a, b) => (standstills.ms[b] ?? Infinity) - (standstills.ms[a] ?? Infinity));
  const more = rows.length > MOST_TOLD ? [element("p", { cls: "quiet" }, `and ${rows.length - MOST_TOLD} more`)] : [];
  return [...section(`Partitions that stood still: ${rows.length}`, rows, standFact, MOST_TOLD), ...more];
}

// A heading and a button for each of the first rows; nothing if there are no rows.
function section(heading, rows, button, most = 5) {
  return rows.length ? [element("h3", {}, heading), ...rows.slice(0, most).map(button)] : [];
}

function standFact(row) {
  const { topic, partition, began, ended, ms, former, member, epoch } = state.group.standstills;
  const there = () => {
    const chosen = state.group.rowAt.get(epoch[row]);
    if (chosen !== undefined) return choose(chosen);
    return flyTo(began[row] - 2000, (ended[row] ?? state.group.last) + 2000);
  };
  const text = ms[row] === null ? "not over" : durationText(ms[row]);
  return factButton(`${topic[row]}-${partition[row]}`, `${memberName(former[row])} \u2192 ${memberName(member[row])}, lag ${lagGrowth(state.group.standstills, row)}`, text, there);
}

function factButton(title, small, value, act) {
  return element("button", { cls: "fact", type: "button", on: { click: act } }, element("span", {}, title, element("small", {}, small)), element("span", {}, value));
}

// The overlaps and repeats of one rebalance, or all those of the group.
function trouble(row = null) {
  const { overlaps, repeats, rebalances } = state.group;
  const [from, to] = row === null ? [-Infinity, Infinity] : [rebalances.began[row] - 1, endOf(row) + 1];
  const within = (at) => at >= from && at <= to;
  const doubles = places(overlaps.rows).filter((each) => within(overlaps.began[each])).sort((a, b) => overlaps.is_excused[a] - overlaps.is_excused[b]);
  const again = places(repeats.rows).filter((each) => within(repeats.at[each])).sort((a, b) => repeatedBy(b) - repeatedBy(a));
  const near = (at) => () => flyTo(at - 10_000, at + 20_000);
  return [
    ...section(`Partitions with two owners: ${doubles.length}`, doubles, (each) => factButton(`${overlaps.topic[each]}-${overlaps.partition[each]}`,
      `${memberName(overlaps.first[each])} and ${memberName(overlaps.second[each])}${overlaps.is_excused[each] ? ", excused: the first was fenced" : ""}`,
      durationText(overlaps.ended[each] === null ? null : overlaps.ended[each] - overlaps.began[each]), near(overlaps.began[each]))),
    ...section(`Partitions lost before a commit: ${again.length}`, again, (each) => factButton(`${repeats.topic[each]}-${repeats.partition[each]}`,
      `${memberName(repeats.member[each])}, ${timeText(repeats.at[each])}`, `${countText(repeatedBy(each))} records`, near(repeats.at[each]))),
  ];
}

function places(count) {
  return Array.from({ length: count }, (_, place) => place);
}

function repeatedBy(row) {
  return state.group.repeats.end[row] - state.group.repeats.offset[row];
}

function standOuts() {
  const { rebalances, memberTable } = state.group;
  const worst = places(rebalances.rows).filter((row) => rebalances.stood[row] || tookOf(row)).sort((a, b) => rebalances.stood[b] - rebalances.stood[a] || tookOf(b) - tookOf(a));
  const unrest = (row) => memberTable.fenced[row] * 3 + memberTable.poll_timeouts[row] * 3 + Math.max(memberTable.joined[row] - 1, 0);
  const restless = places(memberTable.rows).filter((row) => unrest(row) > 0).sort((a, b) => unrest(b) - unrest(a) || memberTable.longest_poll_gap_ms[b] - memberTable.longest_poll_gap_ms[a]);
  return [
    element("h2", {}, "What stands out"),
    ...(worst.length ? [] : [element("p", { cls: "quiet" }, "No rebalances.")]),
    ...section("Rebalances in which a partition stood still the longest", worst, (row) => factButton(`${rebalances.cause[row] || "unknown"}: ${memberName(rebalances.by[row])}`,
      `epoch ${rebalances.epoch[row]}, ${timeText(rebalances.began[row])}`, durationText(rebalances.stood[row]), () => choose(row))),
    ...heldBy(),
    ...section("Members that were fenced, rejoined or had errors", restless, (row) => factButton(memberName(memberTable.member[row]), unrestText(row), "", () => update({ member: memberTable.member[row] }))),
    ...trouble(),
  ];
}

function unrestText(row) {
  const { joined, fenced, poll_timeouts: timeouts, longest_poll_gap_ms: gap } = state.group.memberTable;
  const told = [`joined ${joined[row]} x`, fenced[row] && `fenced ${fenced[row]} x`, timeouts[row] && `${timeouts[row]} x for not polling`, gap[row] && `longest ${durationText(gap[row])} without a poll`];
  return told.filter(Boolean).join(", ");
}

// Which members held up rebalances, how often, and what took most of the time.
function heldBy() {
  const { rebalances, holdups } = state.group;
  const found = new Map();
  for (const row of places(rebalances.rows)) {
    const held = holdingUp(row);
    if (held === null) continue;
    const member = holdups.member[held];
    const one = found.get(member) || { member, count: 0, ms: 0, parts: Object.fromEntries(PARTS.map((part) => [part, 0])) };
    one.count++;
    one.ms += spent(held);
    for (const part of PARTS) one.parts[part] += holdups[`${part}_ms`][held];
    found.set(member, one);
  }
  const most = [...found.values()].sort((a, b) => b.ms - a.ms);
  const mostly = (parts) => PARTS.reduce((best, part) => (parts[part] > parts[best] ? part : best));
  return section("Members that held up rebalances", most, ({ member, count, ms, parts }) =>
    factButton(memberName(member), `${count} x, mostly ${mostly(parts)}`, durationText(ms), () => update({ member })));
}
