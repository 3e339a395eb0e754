"use strict";
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const { first, step, bars, charts, utc, commands } = facts;
  const START = first * 1000, STEP = step * 1000, END = START + Math.max(bars, 1) * STEP;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const CHANGES = ["inserts", "updates", "deletes", "statements", "bytes"];
  const OPERATIONS = ["inserts", "updates", "deletes"];
  const OTHER = facts.tables.length - 1;
  const PALETTE = {
    light: ["#2f6fb3", "#e08e0b", "#2f9e6e", "#b5508f", "#7a6ad8", "#c05c3b", "#4fa3a5", "#9aa4af", "#c9ced4"],
    dark: ["#6aa9ec", "#f2b24c", "#5cc99a", "#e08fc0", "#a99cf5", "#e8896a", "#7fd0d2", "#7d8894", "#565f69"],
  };
  const OPERATION_COLORS = { light: ["#2f9e6e", "#e08e0b", "#c0392b"], dark: ["#5cc99a", "#f2b24c", "#f07b6d"] };
  const theme = () => (dark.matches ? "dark" : "light");
  const zone = utc ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone || "local time";
  const two = (number) => String(number).padStart(2, "0");
  const count = (number) => Math.round(number).toLocaleString("en-US");

  function parts(ms) {
    const at = new Date(ms);
    return utc
      ? [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
      : [at.getFullYear(), at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()];
  }
  function shown(ms, between = " ") {
    const [year, month, day, hour, minute, second] = parts(ms);
    return `${year}-${two(month)}-${two(day)}${between}${two(hour)}:${two(minute)}:${two(second)}`;
  }
  const ofInput = (text) => new Date(utc ? `${text}Z` : text).getTime();
  const iso = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
  const begin = (bar) => START + bar * STEP;
  const when = (bar) => `${shown(begin(bar))} (${lasting(step)})`;
  function lasting(seconds) {
    for (const [name, unit] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
      if (seconds % unit === 0) return seconds === unit ? `1 ${name}` : `${seconds / unit} ${name}s`;
    }
    return seconds === 1 ? "1 second" : `${seconds} seconds`;
  }

  const DAY = 86400000;
  const timeFormat = END - START > 8 * DAY ? "%Y-%m-%d" : END - START > DAY ? "%m-%d %H:%M" : END - START > 600000 ? "%H:%M" : "%H:%M:%S";

  // ---- data of the pictures

  function stacked(measure) {
    const tops = new Map();
    return facts.changes.flatMap(([bar, table, inserts, updates, deletes, statements, bytes]) => {
      const value = { rows: inserts + updates + deletes, statements, bytes }[measure];
      if (!value) return [];
      const low = tops.get(bar) || 0;
      tops.set(bar, low + value);
      return [{ begin: begin(bar), end: begin(bar + 1), low, high: low + value, value, label: facts.tables[table], when: when(bar) }];
    });
  }
  function byOperation() {
    const sums = new Map();
    for (const [bar, , ...changes] of facts.changes) {
      const row = sums.get(bar) || [0, 0, 0];
      OPERATIONS.forEach((_, place) => { row[place] += changes[place]; });
      sums.set(bar, row);
    }
    return [...sums].flatMap(([bar, row]) => {
      let low = 0;
      return row.flatMap((value, place) => {
        if (!value) return [];
        low += value;
        return [{ begin: begin(bar), end: begin(bar + 1), low: low - value, high: low, value, label: OPERATIONS[place], when: when(bar) }];
      });
    });
  }
  const commits = facts.commits.map(([bar, value, lag, parallelism]) => (
    { begin: begin(bar), end: begin(bar + 1), value, lag, parallelism, when: when(bar) }));
  const definitions = facts.definitions.map(({ bar, count }) => ({ begin: begin(bar), middle: begin(bar) + STEP / 2, count, when: when(bar) }));
  const gaps = facts.gaps.map((gap) => {
    const from = gap.begin ?? gap.end ?? first, to = Math.max(gap.end ?? from, from + step / 4);
    return { begin: from * 1000, end: to * 1000, sentence: gap.sentence };
  });
  function namedTransactions() {
    const all = new Map();
    for (const one of [...facts.largest.slice(0, 10), ...facts.longest.slice(0, 10)]) {
      if (one.seconds !== null && !all.has(one.command)) {
        const label = one.tables.length ? one.tables.slice(0, 2).join(", ") + (one.tables.length > 2 ? ", ..." : "") : "(no table)";
        all.set(one.command, { ...one, label, when: one.time ? shown(Date.parse(one.time)) : "no time", first: false });
      }
    }
    for (const list of [facts.largest, facts.longest]) {
      if (list.length && all.has(list[0].command)) all.get(list[0].command).first = true;
    }
    return [...all.values()];
  }

  // ---- pictures

  function config() {
    const [text, soft, line] = dark.matches ? ["#e4e7ea", "#9aa4af", "#333a41"] : ["#1f2328", "#5b6470", "#e3e7eb"];
    return {
      background: "transparent", font: "system-ui, sans-serif",
      axis: { labelColor: soft, titleColor: soft, gridColor: line, domainColor: line, tickColor: line, titleFontWeight: "normal" },
      axisX: { grid: false }, axisY: { minExtent: 36 },
      legend: { labelColor: text, titleColor: soft }, text: { color: text }, view: { stroke: null },
    };
  }
  function prepared(name, datasets) {
    const spec = structuredClone(charts[name]);
    spec.datasets = datasets;
    const visit = (node) => {
      if (node === null || typeof node !== "object") return;
      for (const channel of ["x", "x2"]) {
        const encoding = node.encoding?.[channel];
        if (encoding?.type !== "temporal") continue;
        encoding.scale = { type: utc ? "utc" : "time", domain: [START, END], nice: false };
        if (encoding.axis) encoding.axis.format = timeFormat;
        if (encoding.axis && bars < 10) encoding.axis.values = Array.from({ length: bars }, (_, bar) => begin(bar));
      }
      Object.values(node).forEach(visit);
    };
    visit({ ...spec, datasets: null });
    for (const param of spec.params || []) {
      if (param.name === "ddlColor") param.value = dark.matches ? "#c58be0" : "#8e44ad";
      if (param.name === "gapColor") param.value = dark.matches ? "#f07b6d" : "#c0392b";
    }
    return spec;
  }
  function colors(spec, domain, range) {
    const unit = spec.layer ? spec.layer[0] : spec;
    unit.encoding.color.scale = { domain, range: range.slice(0, domain.length) };
    return unit;
  }
  async function draw(id, spec) {
    const place = document.getElementById(`chart-${id}`);
    if (!place) return null;
    const { view } = await vegaEmbed(place, spec, {
      actions: false, renderer: "svg", config: config(), tooltip: { theme: theme() },
    });
    return view;
  }
  const views = {};
  let measure = "rows";

  async function drawActivity() {
    const spec = prepared("activity", { changes: stacked(measure), definitions, gaps });
    const palette = PALETTE[theme()];
    const range = facts.tables.map((_, place) => (place === OTHER ? palette[8] : facts.tables[place] === "(other tables)" ? palette[7] : palette[place % 7]));
    colors(spec, facts.tables, range).encoding.y.title = measure;
    views.main = await draw("activity", spec);
    watch("main");
  }
  async function drawAll() {
    await drawActivity();
    const operations = prepared("operations", { operations: byOperation() });
    colors(operations, OPERATIONS, OPERATION_COLORS[theme()]);
    await draw("operations", operations);
    for (const name of ["a", "b"]) {
      const strip = prepared("strip", { transactions: commits });
      views[name] = await draw(name, strip);
      watch(name);
    }
    const lag = prepared("lag", { commits: facts.has_lag ? commits : [], definitions, gaps });
    if (!facts.has_lag) {
      lag.height = 40;
      lag.layer[0].encoding.y = { ...lag.layer[0].encoding.y, title: " ", axis: { labels: false, ticks: false, grid: false, domain: false, minExtent: 36 } };
    }
    await draw("lag", lag);
    if (facts.rounds) await draw("parallelism", prepared("parallelism", { commits }));
    await draw("sizes", prepared("sizes", { sizes: facts.sizes, named: namedTransactions() }));
    for (const name of Object.keys(windows)) brush(name);
    document.documentElement.dataset.ready = theme();
  }

  // ---- windows of time: bars from the first to before the last

  const half = Math.floor(bars / 2);
  const windows = { main: [0, bars], a: [0, Math.max(half, 1)], b: [bars > 1 ? half : 0, bars] };
  let dragged = null; // the window of the last drag: sizes of pictures change the brush, too

  function watch(name) {
    views[name].container().onpointerdown = () => { dragged = name; };
    views[name].addSignalListener("window", (_, value) => {
      const range = value.begin;
      if (dragged !== name) return;
      choose(name, range ? barsIn(range[0], range[1]) : [0, bars], false);
    });
  }
  function barsIn(from, to) {
    const low = Math.min(Math.max(Math.round((from - START) / STEP), 0), bars - 1);
    return [low, Math.max(Math.min(Math.round((to - START) / STEP), bars), low + 1)];
  }
  function brush(name) {
    const view = views[name];
    const [low, high] = windows[name];
    const pixels = low === 0 && high === bars && name === "main" ? [] : [low, high].map((bar) => view.scale("x")(begin(bar)));
    dragged = null;
    view.signal("window_x", pixels).run();
  }
  function choose(name, range, moves = true) {
    windows[name] = range;
    if (moves) brush(name);
    update(name);
  }
  function sums([low, high]) {
    const tables = facts.tables.map(() => CHANGES.map(() => 0));
    for (const [bar, table, ...changes] of facts.changes) {
      if (bar >= low && bar < high) changes.forEach((value, place) => { tables[table][place] += value; });
    }
    const total = CHANGES.map((_, place) => tables.reduce((sum, row) => sum + row[place], 0));
    const transactions = facts.commits.reduce((sum, [bar, value]) => sum + (bar >= low && bar < high ? value : 0), 0);
    return { tables, total, transactions };
  }
  function cell(row, text, kind = "") {
    const made = row.insertCell();
    made.textContent = text;
    made.className = kind;
    return made;
  }
  function command(template, [low, high]) {
    return template.replace("{window}", low === 0 && high === bars ? "" : ` --start-datetime=${iso(begin(low))} --stop-datetime=${iso(begin(high))}`);
  }
  function say(id, text) {
    document.getElementById(id).textContent = text;
  }
  function update(name) {
    const range = windows[name];
    const field = document.querySelector(`[data-window="${name}"]`);
    field.dataset.from = iso(begin(range[0]));
    field.dataset.to = iso(begin(range[1]));
    for (const input of field.querySelectorAll("input")) input.value = shown(begin(range[Number(input.dataset.edge)]), "T");
    if (name === "main") updateSums(range);
    else updateComparison();
  }
  function updateSums(range) {
    const { tables, total, transactions } = sums(range);
    const table = document.getElementById("sums");
    const body = table.tBodies[0], foot = table.tFoot;
    body.replaceChildren();
    foot.replaceChildren();
    tables.forEach((row, place) => {
      if (!row.some((value) => value)) return;
      const line = body.insertRow();
      cell(line, facts.tables[place]);
      row.forEach((value) => cell(line, count(value), "n"));
    });
    const line = foot.insertRow();
    cell(line, "all");
    total.forEach((value) => cell(line, count(value), "n"));
    table.classList.toggle("no-statements", !whole[3]);
    say("sum-transactions", count(transactions));
    say("command-stats", command(commands.stats, range));
    say("command-rows", command(commands.rows, range));
  }
  function updateComparison() {
    const [a, b] = [windows.a, windows.b].map(sums);
    const minutes = [windows.a, windows.b].map(([low, high]) => ((high - low) * step) / 60);
    const body = document.getElementById("comparison").tBodies[0];
    body.replaceChildren();
    const compare = (label, one, other) => {
      if (!one && !other) return;
      const line = body.insertRow();
      const rates = [one / minutes[0], other / minutes[1]];
      cell(line, label);
      cell(line, count(one), "n");
      cell(line, count(other), "n");
      rates.forEach((rate) => cell(line, rate.toLocaleString("en-US", { maximumFractionDigits: 1 }), "n"));
      cell(line, one && other ? (rates[1] / rates[0]).toLocaleString("en-US", { maximumFractionDigits: 2 }) : "–", "n");
    };
    compare("transactions", a.transactions, b.transactions);
    CHANGES.forEach((name, place) => compare(name === "statements" ? "statements without rows" : name, a.total[place], b.total[place]));
    const rows = ({ tables }, place) => tables[place][0] + tables[place][1] + tables[place][2];
    facts.tables.forEach((name, place) => compare(`rows of ${name}`, rows(a, place), rows(b, place)));
    say("command-a", command(commands.stats, windows.a));
    say("command-b", command(commands.stats, windows.b));
  }

  // ---- the page

  for (const element of document.querySelectorAll("time")) {
    const words = shown(Date.parse(element.dateTime)).split(" ").map((word) => Object.assign(document.createElement("span"), { textContent: word }));
    element.replaceChildren(words[0], " ", words[1]);
  }
  for (const element of document.querySelectorAll(".step")) element.textContent = lasting(step);
  say("zone", zone);
  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      } catch {
        getSelection().selectAllChildren(code);
      }
    });
  }
  for (const field of document.querySelectorAll(".window")) {
    const name = field.dataset.window;
    const inputs = field.querySelectorAll("input");
    for (const input of inputs) {
      input.addEventListener("change", () => {
        const [from, to] = [...inputs].map((one) => ofInput(one.value));
        if (from < to) choose(name, barsIn(from, to));
      });
    }
    field.querySelector(".whole").addEventListener("click", () => choose(name, [0, bars]));
  }
  const select = document.getElementById("measure");
  const whole = sums([0, bars]).total;
  if (whole[0] + whole[1] + whole[2] === 0) measure = whole[3] ? "statements" : "bytes";
  select.value = measure;
  select.addEventListener("change", async () => {
    measure = select.value;
    await drawActivity();
    brush("main");
  });
  dark.addEventListener("change", drawAll);
  window.addEventListener("resize", () => {
    dragged = null;
    setTimeout(() => Object.keys(views).forEach(brush), 100);
  }, true);
  for (const name of Object.keys(windows)) update(name);
  drawAll().catch((error) => {
    document.documentElement.dataset.failed = String(error);
    throw error;
  });
})();
