// The page's own script: topics, words, map, documents, names. It fetches nothing, and everything
// others wrote goes through textContent or an attribute, never through markup.
"use strict";
(() => {
  // Taken before anything is changed, so that a saved copy is the page as it was written.
  const source = "<!DOCTYPE html>\n" + document.documentElement.outerHTML;
  const $ = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";

  function make(tag, attributes, ...children) {
    const node = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === false || value === null || value === undefined) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  const bdi = (text) => make("bdi", {}, text);
  const percent = (share) => (100 * share).toFixed(1) + " %";
  const look = (topic) => "c" + (topic % 6);
  const dash = (topic) => "u" + (Math.floor(topic / 6) % 4);

  async function load() {
    const element = $("data");
    if (element.dataset.packed !== "gzip") return JSON.parse(element.textContent);
    const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  // --- what the reader has chosen: in the address, names in the page ---------------------------

  const kept = JSON.parse($("state").textContent);
  const state = { topic: 0, order: kept.order || "probability", lambda: kept.lambda ?? 0.6, names: kept.names };
  let data;

  const name = (topic) => state.names[topic] || null;
  const words = (topic, n) => {
    const list = data.topics[topic].w, chosen = [];
    for (let i = 0; i < list.length && chosen.length < n; i += 3) chosen.push(data.words[list[i]]);
    return chosen.join(" ");
  };
  const called = (topic, n = 5) => name(topic) || words(topic, n);

  function readAddress() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const topic = Number(wanted.get("topic")) - 1;
    if (Number.isInteger(topic) && topic >= 0 && topic < data.topics.length) state.topic = topic;
    if (["probability", "relevance", "frex", "lift"].includes(wanted.get("order"))) state.order = wanted.get("order");
    const lambda = Number(wanted.get("lambda"));
    if (wanted.has("lambda") && lambda >= 0 && lambda <= 1) state.lambda = lambda;
  }

  function writeAddress() {
    const chosen = new URLSearchParams({ topic: state.topic + 1, order: state.order, lambda: state.lambda });
    // A frame without an address of its own refuses; the page works all the same.
    try { history.replaceState({ names: state.names }, "", "#" + chosen); } catch { /* nothing is lost */ }
    $("state").textContent = stateText();
  }

  // As the writer of the page escapes: nothing in it can end the element.
  const stateText = () =>
    JSON.stringify({ names: state.names, order: state.order, lambda: state.lambda })
      .replace(/[<>&\u2028\u2029]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

  // --- saving and copying ------------------------------------------------------------------------

  function save(file, text, kind) {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: file });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function savePage() {
    const opening = "<" + 'script type="application/json" id="state">', closing = "</" + "script>";
    const start = source.indexOf(opening) + opening.length;
    save("report.html", source.slice(0, start) + stateText() + source.slice(source.indexOf(closing, start)) + "\n", "text/html");
  }

  function csv(table) {
    const cell = (node) => {
      let text = node.textContent;
      // A spreadsheet would run what begins like this.
      if (!node.classList.contains("n") && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
      return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    return [...table.rows].map((row) => [...row.cells].map(cell).join(",")).join("\r\n") + "\r\n";
  }

  async function copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { class: "unseen" }, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  function addTools(table) {
    const tools = make("div", { class: "tools" },
      make("button", { type: "button", onclick: (event) => copy(csv(table), event.target) }, "Copy as CSV"),
      make("button", { type: "button", onclick: () => save(table.dataset.file + ".csv", csv(table), "text/csv") }, "Save as CSV"));
    table.parentNode.before(tools);
  }

  // --- topics ------------------------------------------------------------------------------------

  function buildList() {
    const most = Math.max(...data.topics.map((topic) => topic.s));
    $("list").replaceChildren(...data.topics.map((topic, j) => {
      const bar = make("i", { class: look(j) });
      bar.style.width = (100 * topic.s / most).toFixed(1) + "%";
      return make("li", { role: "option", id: "option-" + j, "aria-selected": "false", class: look(j), onclick: () => choose(j) },
        make("b", {}, String(j + 1)), make("span", { class: "what", "data-topic-name": j, dir: "auto" }, called(j)),
        make("span", { class: "share" }, percent(topic.s)), make("span", { class: "bar", "aria-hidden": "true" }, bar));
    }));
    $("list").addEventListener("keydown", (event) => {
      const last = data.topics.length - 1;
      const to = { ArrowDown: state.topic + 1, ArrowUp: state.topic - 1, Home: 0, End: last, PageDown: state.topic + 10, PageUp: state.topic - 10 }[event.key];
      if (to !== undefined) { event.preventDefault(); choose(Math.min(last, Math.max(0, to))); }
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); $("detail").focus(); }
    });
    $("detail").addEventListener("keydown", (event) => { if (event.key === "Escape") $("list").focus(); });
  }

  function choose(topic) {
    state.topic = topic;
    for (const option of $("list").children) option.setAttribute("aria-selected", String(option.id === "option-" + topic));
    const option = $("option-" + topic), list = $("list");
    list.setAttribute("aria-activedescendant", option.id);
    if (option.offsetTop < list.scrollTop) list.scrollTop = option.offsetTop - 8;
    const below = option.offsetTop + option.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below + 8;
    showTopic();
    showNodes();
    writeAddress();
  }

  function showTopic() {
    const j = state.topic, topic = data.topics[j];
    $("topic-title").replaceChildren("Topic " + (j + 1), name(j) ? ": " : "", name(j) ? bdi(name(j)) : "", ", " + percent(topic.s));
    $("topic-name").value = name(j) || "";
    $("flags").replaceChildren(...topic.f.map((flag, i) => make("li", { class: i === 0 && topic.st === "reproduces" ? "good" : flag === "not judged" ? "" : "warn" }, flag)));
    $("evidence").textContent = topic.e.join(" · ");
    $("nearest").replaceChildren(...topic.n.map(([other, distance]) =>
      make("button", { type: "button", onclick: () => choose(other) }, (other + 1) + " ", bdi(called(other, 3)), " (distance " + distance.toFixed(2) + ")")));
    $("nearest-part").hidden = topic.n.length === 0;
    const figure = document.querySelector('[data-time="' + j + '"] svg');
    $("over-time").replaceChildren(...(figure ? [make("h4", {}, "Over time"), figure.cloneNode(true)] : []));
    showWords();
    showExamples(topic);
  }

  // Relevance of Sievert and Shirley: at 1 the probability, at 0 the lift.
  function ranked(topic) {
    const list = data.topics[topic].w, all = [];
    for (let i = 0; i < list.length; i += 3) all.push({ word: list[i], p: list[i + 1], reach: list[i + 2], share: data.ws[list[i]] });
    if (state.order === "frex") {
      const places = new Map(all.map((entry) => [entry.word, entry]));
      return data.topics[topic].x.map((word) => places.get(word)).filter(Boolean);
    }
    const lambda = { probability: 1, lift: 0, relevance: state.lambda }[state.order];
    const score = (entry) => lambda * Math.log(entry.p) + (1 - lambda) * Math.log(entry.p / entry.share);
    for (const entry of all) entry.score = score(entry);
    return all.sort((a, b) => b.score - a.score || b.p - a.p || a.word - b.word).slice(0, data.nw);
  }

  const orderName = () => ({ probability: "by probability", lift: "by lift", frex: "by FREX (frequent and exclusive)", relevance: "by relevance, lambda " + state.lambda.toFixed(2) }[state.order]);

  function showWords() {
    const chosen = ranked(state.topic);
    $("lambda-part").hidden = state.order !== "relevance";
    $("lambda-value").textContent = state.lambda.toFixed(2);
    $("bars").replaceChildren(bars(chosen));
    const rows = chosen.map((entry) => make("tr", {}, make("td", {}, bdi(data.words[entry.word])),
      make("td", { class: "n" }, (100 * entry.p).toFixed(3)), make("td", { class: "n" }, entry.reach === null ? "–" : (100 * entry.reach).toFixed(3)),
      make("td", { class: "n" }, (entry.p / entry.share).toFixed(2)), make("td", { class: "n" }, (100 * entry.share).toFixed(3))));
    $("word-rows").replaceChildren(...rows);
    $("word-chips").replaceChildren(...chosen.map((entry) => chip(entry.word)));
  }

  function bars(chosen) {
    const width = Math.max(260, $("bars").clientWidth || 600), row = 23, label = Math.min(170, Math.round(width * .36));
    const letters = Math.floor(label / 7.4);
    const high = (entry) => entry.p + (entry.reach || 0);
    const most = Math.max(...chosen.map((entry) => Math.max(high(entry), entry.share)), 1e-12);
    const x = (value) => label + (width - label - 62) * Math.max(0, value) / most;
    const message = "Words of topic " + (state.topic + 1) + " " + orderName() + ": " +
      chosen.slice(0, 8).map((entry) => data.words[entry.word] + " " + (100 * entry.p).toFixed(2) + " %").join(", ") + ".";
    const svg = make("svg:svg", { role: "img", viewBox: `0 0 ${width} ${row * chosen.length + 4}`, width, height: row * chosen.length + 4 }, make("svg:title", {}, message));
    chosen.forEach((entry, i) => {
      const middle = row * i + row / 2 + 1, written = [...data.words[entry.word]];
      const text = written.length > letters ? written.slice(0, letters - 1).join("") + "…" : written.join("");
      svg.append(
        make("svg:text", { x: label - 8, y: middle + 4.5, "text-anchor": "end", "font-size": 14, fill: "var(--text)" }, text),
        make("svg:rect", { x: label, y: middle - 7, width: Math.max(1, x(entry.p) - label).toFixed(1), height: 14, rx: 2, fill: "var(--blue)", "fill-opacity": .42 }));
      if (entry.reach !== null) {
        const [from, to] = [x(entry.p - entry.reach), x(high(entry))];
        svg.append(make("svg:path", { d: `M${from.toFixed(1)} ${middle}H${to.toFixed(1)}M${from.toFixed(1)} ${middle - 4}v8M${to.toFixed(1)} ${middle - 4}v8`, stroke: "var(--text)", "stroke-width": 1.4, fill: "none" }));
      }
      svg.append(
        make("svg:line", { x1: x(entry.share).toFixed(1), x2: x(entry.share).toFixed(1), y1: middle - 9, y2: middle + 9, stroke: "var(--vermilion)", "stroke-width": 2, "stroke-dasharray": "3 2" }),
        make("svg:text", { x: width, y: middle + 4.5, "text-anchor": "end", "font-size": 12, fill: "var(--muted)" }, (100 * entry.p).toFixed(2) + " %"));
    });
    return svg;
  }

  function showExamples(topic) {
    $("examples-part").hidden = topic.ex.length === 0;
    $("examples").replaceChildren(...topic.ex.map((example) => {
      const found = data.docs[example.d];
      const pulls = example.u.map(([word, pull]) => word + "\u00a0" + pull.toFixed(1)).join(", ");
      return make("li", {},
        make("div", { class: "head" }, make("button", { type: "button", onclick: () => openDocument(example.d) }, bdi(found.n)), make("span", {}, percent(example.s) + " of it"), aside(found)),
        example.p ? passage(example.p) : null,
        pulls ? make("p", { class: "pulls" }, "Words that pull it here (" + data.unit + "): ", bdi(pulls)) : null);
    }));
  }

  // What its name does not say already.
  const aside = (found) => make("span", {}, [found.t, found.l].filter((part) => part && !found.n.includes(part)).join(" · "));

  // A text with its words underlined in the colour and dash of their topic, and its number.
  function passage(marked) {
    const parts = [marked.c[0] ? "… " : ""];
    let at = 0;
    for (let i = 0; i < marked.k.length; i += 3) {
      const start = at + marked.k[i], end = start + marked.k[i + 1], topic = marked.k[i + 2];
      parts.push(marked.t.slice(at, start), make("span", { class: `w ${look(topic)} ${dash(topic)}` }, marked.t.slice(start, end), make("sub", {}, String(topic + 1))));
      at = end;
    }
    parts.push(marked.t.slice(at), marked.c[1] ? " …" : "");
    return make("p", { class: "passage", dir: "auto" }, ...parts);
  }

  // --- the map -----------------------------------------------------------------------------------

  let asked = null;
  const nodes = () => document.querySelectorAll(".map .node");

  function showNodes() {
    for (const node of nodes()) node.classList.toggle("on", Number(node.dataset.topic) === state.topic);
  }

  const chip = (word) => make("button", {
    type: "button", "aria-pressed": String(asked === word),
    onclick: () => askWord(asked === word ? null : word), onfocus: () => askWord(word), onmouseenter: () => askWord(word),
  }, bdi(data.words[word]));

  function askWord(word) {
    asked = word;
    const map = document.querySelector(".map"), parts = word === null ? [] : data.wt[word], share = new Map();
    for (let i = 0; i < parts.length; i += 2) share.set(parts[i], parts[i + 1] / 1000);
    map.classList.toggle("asked", word !== null);
    for (const node of nodes()) {
      const part = share.get(Number(node.dataset.topic)) || 0;
      node.classList.toggle("most", part >= .5);
      node.classList.toggle("some", part >= .05 && part < .5);
    }
    $("word-chips").childNodes.forEach((button) => button.setAttribute("aria-pressed", String(word !== null && button.textContent === data.words[word])));
    const topics = [...share].slice(0, 8).map(([topic, part]) => `topic ${topic + 1} (${percent(part)})`).join(", ");
    $("word-topics").replaceChildren(...(word === null ? [hint] : ["An occurrence of ", make("strong", {}, bdi(data.words[word])), " belongs to " + (topics || "no topic") + "."]));
  }

  const hint = "Choose a word to see the topics it belongs to.";

  function buildMap() {
    for (const node of nodes()) {
      const topic = Number(node.dataset.topic);
      node.addEventListener("click", () => { choose(topic); $("topics").scrollIntoView(); });
      node.addEventListener("mouseenter", () => {
        $("word-topics").replaceChildren("Topic " + (topic + 1) + ", " + percent(data.topics[topic].s) + ": ", bdi(called(topic, 8)));
      });
    }
    const known = new Map();
    for (let word = 0; word < data.wt.length; word += 1) known.set(data.words[word].toLowerCase(), word);
    $("word-list").append(...[...data.words.slice(0, data.wt.length)].map((word) => make("option", { value: word })));
    $("word-find").addEventListener("input", (event) => {
      const word = known.get(event.target.value.trim().toLowerCase());
      if (word !== undefined) askWord(word);
      else $("word-topics").replaceChildren(event.target.value ? "No topic of this page shows that word." : hint);
    });
    $("word-topics").textContent = hint;
    showNodes();
  }

  // --- documents ---------------------------------------------------------------------------------

  const PAGE = 25;
  let listed = [], n_listed = 0;

  const share = (found, topic) => {
    for (let i = 0; i < found.m.length; i += 2) if (found.m[i] === topic) return found.m[i + 1];
    return 0;
  };

  function findDocuments() {
    const wanted = $("find").value.trim().toLowerCase(), sort = $("sort").value;
    const holds = (found) => [found.n, found.l, found.t, found.x && found.x.t].some((part) => part && part.toLowerCase().includes(wanted)) ||
      (found.b || []).some((word, i) => i % 3 === 0 && data.words[word].toLowerCase() === wanted);
    listed = data.docs.map((_, d) => d).filter((d) => !wanted || holds(data.docs[d]));
    if (sort === "length") listed.sort((a, b) => data.docs[b].c - data.docs[a].c || a - b);
    else if (sort === "time") listed.sort((a, b) => String(data.docs[a].t).localeCompare(String(data.docs[b].t), "en", { numeric: true }) || a - b);
    else if (sort !== "order") listed.sort((a, b) => share(data.docs[b], Number(sort)) - share(data.docs[a], Number(sort)) || a - b);
    $("documents-list").replaceChildren();
    n_listed = 0;
    moreDocuments();
  }

  function moreDocuments() {
    const next = listed.slice(n_listed, n_listed + PAGE);
    n_listed += next.length;
    $("documents-list").append(...next.map(documentItem));
    $("more").hidden = n_listed >= listed.length;
    $("documents-shown").textContent = `${listed.length} of ${data.docs.length} documents` + (n_listed < listed.length ? `, ${n_listed} listed` : "");
  }

  function documentItem(d) {
    const found = data.docs[d], body = make("div", { hidden: true, id: "document-" + d });
    const open = make("button", { type: "button", "aria-expanded": "false", "aria-controls": body.id, onclick: () => toggle(open, body, found) }, bdi(found.n));
    const shares = [], largest = [];
    for (let i = 0; i < found.m.length; i += 2) {
      const part = make("i", { class: look(found.m[i]) });
      part.style.width = found.m[i + 1] / 10 + "%";
      shares.push(part);
      if (largest.length < 4) largest.push(`${found.m[i] + 1} ${called(found.m[i], 2)} ${(found.m[i + 1] / 10).toFixed(0)} %`);
    }
    return make("li", { "data-document": d },
      make("div", { class: "head" }, open, aside(found), make("span", {}, found.c + (found.c === 1 ? " word" : " words"))),
      make("div", { class: "mix", "aria-hidden": "true" }, ...shares),
      make("p", { class: "mixes" }, found.c === 0 ? "no words" : largest.join(" · ")), body);
  }

  function toggle(open, body, found) {
    const opening = body.hidden;
    if (opening && !body.hasChildNodes()) {
      if (found.x) body.append(passage(found.x));
      else if (found.b && found.b.length) {
        const parts = [];
        for (let i = 0; i < found.b.length; i += 3) {
          const [word, count, topic] = found.b.slice(i, i + 3);
          parts.push(make("span", { class: `w ${look(topic)} ${dash(topic)}` }, bdi(data.words[word]), count > 1 ? "\u00a0×" + count : "", make("sub", {}, String(topic + 1))), " ");
        }
        body.append(make("p", { class: "passage" }, ...parts), make("p", { class: "pulls" }, "Its words that pull hardest, without order; the number is the topic."));
      } else body.append(make("p", { class: "pulls" }, found.c === 0 ? "This document has no words." : "The text was left out of this page."));
    }
    body.hidden = !opening;
    open.setAttribute("aria-expanded", String(opening));
  }

  function openDocument(d) {
    $("find").value = "";
    $("sort").value = "order";
    findDocuments();
    while (n_listed <= d && n_listed < listed.length) moreDocuments();
    const button = document.querySelector(`[data-document="${d}"] button`);
    if (button.getAttribute("aria-expanded") === "false") button.click();
    button.scrollIntoView({ block: "center" });
    button.focus({ preventScroll: true });
  }

  function buildDocuments() {
    if (!$("documents-list")) return;
    $("sort").append(...data.topics.map((_, j) => make("option", { value: j }, `share of topic ${j + 1}, ${called(j, 3)}`)));
    $("find").addEventListener("input", findDocuments);
    $("sort").addEventListener("change", findDocuments);
    $("more").addEventListener("click", moreDocuments);
    findDocuments();
  }

  // --- names -------------------------------------------------------------------------------------

  function rename(topic, text) {
    state.names[topic] = text.trim() || null;
    for (const node of document.querySelectorAll(`[data-topic-name="${topic}"]`)) node.textContent = called(topic);
    $("topic-title").replaceChildren("Topic " + (topic + 1), name(topic) ? ": " : "", name(topic) ? bdi(name(topic)) : "", ", " + percent(data.topics[topic].s));
    $("named").textContent = state.names.some(Boolean) ? "Names stay in this page while it is open; save the page, or names.json, to keep them." : "";
    writeAddress();
  }

  function buildControls() {
    $("topic-name").addEventListener("input", (event) => rename(state.topic, event.target.value));
    for (const radio of document.querySelectorAll("input[name=order]")) {
      radio.checked = radio.value === state.order;
      radio.addEventListener("change", () => { state.order = radio.value; showWords(); writeAddress(); });
    }
    $("lambda").value = state.lambda;
    $("lambda").addEventListener("input", (event) => { state.lambda = Number(event.target.value); showWords(); writeAddress(); });
    $("save-page").addEventListener("click", savePage);
    $("save-names").addEventListener("click", () => save("names.json", JSON.stringify({ corpus: data.corpus, names: state.names }, null, 1) + "\n", "application/json"));
    let width = 0;
    new ResizeObserver(() => { if ($("bars").clientWidth !== width) { width = $("bars").clientWidth; showWords(); } }).observe($("bars"));
  }

  load().then((loaded) => {
    data = loaded;
    if (history.state && Array.isArray(history.state.names) && history.state.names.length === data.topics.length) state.names = history.state.names;
    readAddress();
    document.documentElement.classList.add("scripted");
    for (const node of document.querySelectorAll("[hidden].needs-script")) node.hidden = false;
    for (const details of document.querySelectorAll("details.numbers")) details.open = false;
    for (const table of document.querySelectorAll("table[data-file]")) addTools(table);
    buildList();
    buildMap();
    buildControls();
    choose(state.topic);
    state.names.forEach((_, j) => { if (name(j)) rename(j, name(j)); });
    buildDocuments();
    addEventListener("hashchange", () => { if (location.hash.includes("topic=")) { readAddress(); choose(state.topic); } });
    let closed = [];
    addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details:not([open])")]; for (const details of closed) details.open = true; });
    addEventListener("afterprint", () => { for (const details of closed) details.open = false; });
    document.documentElement.dataset.ready = "yes";
  }).catch((error) => {
    $("trouble").hidden = false;
    $("trouble").textContent = "The interactive part of this page could not be opened (" + error.message + "); the tables below hold its numbers.";
  });
})();
