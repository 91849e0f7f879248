// The pages that the tests open, made by the program itself in a folder that is deleted afterwards.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "svtd-pages-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

const file = (name) => path.join(folder, name);
const svtd = (...words) => execFileSync(process.env.SVTD_PROGRAM, [...words, "--quiet"], { cwd: folder, encoding: "utf8" });
const once = (make) => { let made; return () => (made ??= make()); };

/** 8 topics of 232 years: counts, times, labels. */
const demo = once(() => { svtd("demo", "--report", "demo.html"); return file("demo.html"); });

// A small corpus of text in English, Hebrew and Chinese about the sea, the farm and the bank.
const THEMES = [
  ["ship harbour sailor captain sea", "אניה נמל מלח ים", "船 港 海 水手"],
  ["farm wheat cow barn harvest", "חווה חיטה פרה אסם", "农 麦 牛 收成"],
  ["bank money loan credit gold", "בנק כסף הלוואה זהב", "银 行 钱 金"],
];

function texts(n, extra) {
  const rows = [];
  for (let i = 0; i < n; i += 1) {
    const words = THEMES[i % 3].join(" ").split(" "), chosen = [];
    for (let w = 0; w < 18; w += 1) chosen.push(words[(i * 7 + w * w * 3 + w) % words.length]);
    const text = `It is said that the ${chosen.slice(0, 6).join(" ")}. Then ${chosen.slice(6, 12).join(" ")}! Once more: ${chosen.slice(12).join(" ")}.`;
    rows.push({ id: `letter ${i + 1}`, text, label: ["sea", "farm", "bank"][i % 3], year: String(1900 + (i * 13) % 60), ...extra?.(i) });
  }
  return rows;
}

const lines = (name, rows) => fs.writeFileSync(file(name), rows.map((row) => JSON.stringify(row)).join("\n") + "\n");

/** Text in three scripts with times, labels and a sweep. */
const text = once(() => {
  lines("letters.jsonl", texts(240));
  svtd("fit", "letters.jsonl", "-k", "3", "-o", "letters.svtd", "--min-length", "1");
  fs.writeFileSync(file("sweep.json"), svtd("sweep", "letters.jsonl", "-k", "1..6", "--min-length", "1", "--json"));
  svtd("report", "letters.svtd", "letters.jsonl", "--time", "year", "--sweep", "sweep.json", "-o", "letters.html");
  return file("letters.html");
});

/** What a page must survive: markup, directions, controls and monsters wherever text comes in. */
const HOSTILE = [
  "</script><img src=x onerror=hacked()>",
  "<svg/onload=hacked()>",
  "\"><script>hacked()</script>",
  "javascript:hacked()",
  "\u202eabc\u2066 {{body}} \u2028 ]]> --> <!--",
  "${hacked()} `hacked()` '+hacked()+'",
];

const hostile = once(() => {
  const words = [...HOSTILE, "x".repeat(100_000), "=cmd|' /C calc'!A0", "\u0007bell", "plain", "word", "other"];
  const n = words.length, documents = 90, entries = [];
  for (let d = 1; d <= documents; d += 1) {
    for (let w = 1; w <= n; w += 1) if ((w + d) % 3 !== 0 || (d * w) % 4 === 1) entries.push(`${d} ${w} ${1 + ((d * w) % 5)}`);
  }
  fs.writeFileSync(file("docword.hostile.txt"), [documents, n, entries.length, ...entries].join("\n") + "\n");
  fs.writeFileSync(file("vocab.hostile.txt"), words.map((word) => word.replace(/[\n\u2028]/g, "")).join("\n") + "\n");
  svtd("fit", "docword.hostile.txt", "-k", "2", "-o", "hostile.svtd");
  fs.writeFileSync(file("names.json"), JSON.stringify([HOSTILE[0], HOSTILE[4]]));
  svtd("names", "hostile.svtd", "names.json");
  svtd("report", "hostile.svtd", "docword.hostile.txt", "--title", HOSTILE[0], "-o", "hostile.html");
  return file("hostile.html");
});

const hostileText = once(() => {
  const rows = texts(60, (i) => ({ id: HOSTILE[i % 6] + i, label: HOSTILE[i % 5], year: i % 2 ? "1999-02-30" : "2001-05-0" + (1 + i % 8) }));
  for (const row of rows) row.text += " " + HOSTILE.join(" ") + " " + "y".repeat(20_000);
  lines("nasty.jsonl", rows);
  svtd("fit", "nasty.jsonl", "-k", "3", "--report", "nasty.html", "--time", "year");
  return file("nasty.html");
});

/** One topic, no documents, no error bars. */
const bare = once(() => {
  lines("one.jsonl", texts(30));
  svtd("fit", "one.jsonl", "-k", "1", "--no-trust", "-o", "one.svtd");
  svtd("report", "one.svtd", "-o", "one.html");
  return file("one.html");
});

module.exports = { demo, text, hostile, hostileText, bare, folder, HOSTILE };
