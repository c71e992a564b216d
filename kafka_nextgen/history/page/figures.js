// The figures at the top, the notes and doubts, and the legend.

function drawFigures(names) {
  if (!["group", "utc", "topic", "member", "theme"].some((name) => names.has(name))) return;
  const { group } = state;
  document.getElementById("span").textContent = `${timeText(group.first)} to ${timeText(group.last)} ${state.utc ? "UTC" : "local time"}${group.cluster ? `, cluster ${group.cluster}` : ""}`;
  document.getElementById("made").textContent = `Created by kafka-nextgen history report at ${timeText(state.made)}.`;
  document.getElementById("tiles").replaceChildren(...tilesOf(group).map(([text, value, isBad, title]) =>
    element("div", { cls: isBad ? "tile bad" : "tile", title }, element("b", {}, value), element("span", {}, text))));
  drawNotes(group);
  drawLegend();
}

function sumOf(values) {
  return (values || []).reduce((sum, value) => sum + (value ?? 0), 0);
}

function tilesOf(group) {
  const { rebalances, overlaps, repeats, memberTable } = group;
  const summary = (name, otherwise) => (group.groups.rows ? group.groups[name][0] : otherwise);
  const unexcused = sumOf((overlaps.is_excused || []).map((one) => (one ? 0 : 1)));
  const lag = totalLag(group, "");
  const repeated = sumOf((repeats.end || []).map((end, row) => end - repeats.offset[row]));
  const mayHaveDied = (memberTable.fenced || []).some((count, row) => count > memberTable.poll_timeouts[row]);
  return [
    ["rebalances", countText(rebalances.rows)],
    ["unsettled", share(summary("unsettled_ms", 0), group.last - group.first), false, "The share of the time during which a rebalance was in progress"],
    ["longest standstill", durationText(longestStand(group, standsBetweenOwners(group))), false, `Of one partition; ${durationText(summary("stood_ms", sumOf(rebalances.stood_ms)))} summed over partitions`],
    ["members", countText(group.members.length), false, "All members in the log"],
    ["fenced, no poll", countText(sumOf(memberTable.poll_timeouts)), sumOf(memberTable.poll_timeouts) > 0, "How often a member was fenced because it did not poll"],
    ["moved (needless)", `${countText(sumOf(rebalances.moved))} (${countText(sumOf(rebalances.needless))})`, false, "Partitions that changed owners; in brackets, those that a sticky assignor would not have moved"],
    ["two owners", unexcused ? countText(unexcused) : `0 (${overlaps.rows})`, unexcused > 0, "If there are none, the number in brackets counts excused ones, whose first owner had been fenced"],
    ["processed twice", repeatedText(repeated, mayHaveDied), repeated > 0, "Records that were read, but not committed when their partition was lost. A member that died can't report the records that it had read."],
    ["greatest lag", lag.at.length ? countText(lag.most) : "-", false, "The sum over all partitions"],
  ];
}

function repeatedText(repeated, mayHaveDied) {
  if (!mayHaveDied) return countText(repeated);
  return repeated ? `≥ ${countText(repeated)}` : "unknown";
}

function share(part, whole) {
  const percent = (100 * part) / Math.max(whole, 1);
  return `${percent >= 10 || percent === 0 ? Math.round(percent) : percent.toFixed(1)} %`;
}

function drawNotes(group) {
  const notes = [...state.notes];
  const marks = group.groups.rows ? group.groups.marks[0] : "";
  if (marks) notes.unshift(`Doubts: ${marks}.`);
  const box = document.getElementById("notes");
  box.hidden = !notes.length;
  box.replaceChildren(...notes.slice(0, 8).map((note) => element("p", {}, note)), ...(notes.length > 8 ? [element("p", {}, `and ${notes.length - 8} more`)] : []));
}

function drawLegend() {
  const { group } = state;
  const seen = new Set(shownLanes().flatMap(({ tenures }) => {
    const inView = (_, place) => !timeline.paper || (tenures.began[place] < state.to && tenures.ended[place] > state.from);
    return tenures.row.filter(inView).map((row) => group.tenures.member[row]);
  }));
  const members = group.members.filter((member) => seen.has(member.id));
  const chosen = (member) => () => update({ member: state.member === member.id ? "" : member.id });
  const buttons = members.slice(0, 60).map((member) => element("button", { type: "button", title: member.id, "aria-pressed": String(state.member === member.id), on: { click: chosen(member) } }, swatch(member), member.label));
  const rest = members.length > 60 ? [element("span", { cls: "key quiet" }, `and ${members.length - 60} more`)] : [];
  document.getElementById("legend").replaceChildren(element("span", { cls: "key" }, swatch(null), "stood still"), ...buttons, ...rest);
}
