// Pages of svtd report in a real browser: nothing fetched, nothing broken, all of it within reach.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { after, before, test } = require("node:test");
const { chromium } = require("playwright-core");
const pages = require("./pages.js");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser.close());

/** Opens a page and keeps an eye on what it says and asks for. */
async function open(file, { hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const seen = { troubles: [], requests: [] };
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) seen.troubles.push(message.text()); });
  page.on("pageerror", (error) => seen.troubles.push(error.message));
  page.on("request", (request) => { if (!request.url().startsWith("blob:")) seen.requests.push(request.url()); });
  const address = pathToFileURL(file) + hash;
  await page.goto(address);
  if (options.javaScriptEnabled !== false) await page.waitForSelector("html[data-ready]", { timeout: 10_000 });
  return { page, context, seen, quiet: () => { assert.deepEqual(seen.troubles, []); assert.deepEqual(seen.requests, [address]); } };
}

async function picture(page, name) {
  const folder = process.env.SVTD_SCREENSHOTS;
  if (!folder) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, name + ".png"), fullPage: true });
}

const wordsShown = (page) => page.$$eval("#word-rows tr td:first-child", (cells) => cells.map((cell) => cell.textContent));

async function fits(page) {
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= room, `${wide} pixels of page on a screen of ${room}`);
}

async function accessible(page, what) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  const violations = found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(violations, [], what);
}

test("the demo opens within a second, says nothing and asks for nothing", async () => {
  const { page, quiet, context } = await open(pages.demo());
  const usable = await page.evaluate(() => performance.now());
  assert.ok(usable < 5000, `${usable} ms`);
  assert.equal(await page.$$eval("#list [role=option]", (options) => options.length), 8);
  assert.equal(await page.$$eval("[data-time] svg", (drawings) => drawings.length), 8);
  // A band behind every curve, within its figure.
  const heights = await page.$$eval("[data-time] svg polygon", (bands) => bands.map((band) => {
    const box = band.getBoundingClientRect(), figure = band.closest("svg").getBoundingClientRect();
    return [box.top - figure.top, figure.bottom - box.bottom, box.height];
  }));
  assert.equal(heights.length, 8);
  assert.ok(heights.every(([above, below, height]) => above >= 0 && below >= 0 && height > 5), String(heights));
  quiet();
  await context.close();
});

test("the slider moves the words, and the address remembers it", async () => {
  const { page, quiet, context } = await open(pages.demo());
  const likeliest = await wordsShown(page);
  await page.check("input[value=relevance]");
  await page.focus("#lambda");
  await page.keyboard.press("Home");
  const own = await wordsShown(page);
  assert.notDeepEqual(own, likeliest);
  await page.keyboard.press("End");
  assert.deepEqual(await wordsShown(page), likeliest, "at lambda 1 the likeliest words");
  for (let i = 0; i < 14; i += 1) await page.keyboard.press("ArrowLeft");
  assert.match(page.url(), /lambda=0\.3/);
  const chosen = await wordsShown(page);
  for (const order of ["frex", "lift"]) {
    await page.check(`input[value=${order}]`);
    assert.notDeepEqual(await wordsShown(page), chosen);
  }
  assert.deepEqual(await wordsShown(page), own, "lift is relevance at lambda 0");
  quiet();
  const again = await open(pages.demo(), { hash: "#topic=1&order=relevance&lambda=0.3" });
  assert.deepEqual(await wordsShown(again.page), chosen);
  await again.context.close();
  await context.close();
});

test("the words of the slider are those of the library", async () => {
  const { page, context } = await open(pages.text(), { hash: "#topic=2&order=relevance&lambda=0.35" });
  const { execFileSync } = require("node:child_process");
  const listing = JSON.parse(execFileSync(process.env.SVTD_PROGRAM, ["topics", "letters.svtd", "--lambda", "0.35", "--top", "8", "--json"], { cwd: pages.folder, encoding: "utf8" }));
  const expected = listing.topics[1].words.map((word) => word.word);
  assert.deepEqual((await wordsShown(page)).slice(0, expected.length), expected);
  await context.close();
});

test("search finds documents, sorting orders them, and a document shows its words", async () => {
  const { page, quiet, context } = await open(pages.text());
  await page.fill("#find", "letter 17");
  const names = await page.$$eval("#documents-list .head button", (all) => all.map((b) => b.textContent));
  assert.ok(names.includes("letter 17") && names.every((name) => name.includes("letter 17")), names.join());
  await page.fill("#find", "no such thing anywhere");
  assert.match(await page.textContent("#documents-shown"), /^0 of 240/);
  await page.fill("#find", "");
  await page.selectOption("#sort", { index: 4 });
  const first = page.locator("#documents-list li").first();
  await first.locator("button").click();
  assert.ok(await first.locator(".passage .w").count() > 5, "words are underlined");
  assert.match(await first.locator(".passage .w sub").first().textContent(), /^\d+$/);
  quiet();
  await context.close();
});

test("the keyboard alone chooses topics, opens one, comes back, and reaches every control", async () => {
  const { page, quiet, context } = await open(pages.demo());
  await page.focus("#list");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.textContent("#topic-title"), /^Topic 3/);
  await page.keyboard.press("End");
  assert.match(await page.textContent("#topic-title"), /^Topic 8/);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "detail");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "list");
  const wanted = await page.evaluate(() => {
    const visible = (node) => node.checkVisibility() && !node.disabled && node.tabIndex >= 0;
    const all = [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")].filter(visible);
    // Radio buttons of a group are one stop.
    return all.filter((node) => node.type !== "radio" || node.checked).map((node, i) => { node.dataset.stop = i; return i; }).length;
  });
  const reached = await page.evaluate(() => { document.body.tabIndex = -1; document.body.focus(); window.stops = new Set(); window.unseen = [];
    addEventListener("focusin", ({ target }) => { window.stops.add(target.dataset.stop); const style = getComputedStyle(target);
      if (target.matches(":focus-visible") && style.outlineStyle === "none") window.unseen.push(target.outerHTML.slice(0, 80)); }); return true; });
  assert.ok(reached);
  for (let i = 0; i < wanted + 5; i += 1) await page.keyboard.press("Tab");
  const [stops, unseen] = await page.evaluate(() => [window.stops.size, window.unseen]);
  assert.ok(stops >= wanted, `${stops} of ${wanted} controls reached`);
  assert.deepEqual(unseen, [], "focus is visible");
  quiet();
  await context.close();
});

test("a word tells the topics it belongs to, on the map and in words", async () => {
  const { page, context } = await open(pages.text());
  await page.fill("#word-find", "harbour");
  assert.match(await page.textContent("#word-topics"), /harbour belongs to topic \d+ \(\d+\.\d %\)/);
  assert.equal(await page.$$eval(".map .node.most", (nodes) => nodes.length), 1);
  await page.locator("#word-chips button").nth(1).focus();
  assert.equal(await page.$$eval("#word-chips [aria-pressed=true]", (chips) => chips.length), 1);
  await context.close();
});

test("names survive saving and reloading, and go to names.json", async () => {
  const { page, context, quiet } = await open(pages.text());
  const name = "the sea </script><b>ships & \"harbours\"";
  await page.fill("#topic-name", name);
  await page.check("input[value=relevance]");
  await page.focus("#lambda");
  await page.keyboard.press("Home");
  assert.match(await page.textContent("#topic-title"), /the sea <\/script>/);
  const saved = path.join(pages.folder, "saved.html");
  let download = page.waitForEvent("download");
  await page.click("#save-page");
  await (await download).saveAs(saved);
  download = page.waitForEvent("download");
  await page.click("#save-names");
  const names = path.join(pages.folder, "given.json");
  await (await download).saveAs(names);
  assert.equal(JSON.parse(fs.readFileSync(names, "utf8")).names[0], name);
  quiet();
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.equal(await page.inputValue("#topic-name"), name, "a reload keeps it");
  const copy = await open(saved);
  assert.equal(await copy.page.inputValue("#topic-name"), name, "a saved copy keeps it");
  assert.equal(await copy.page.inputValue("#lambda"), "0", "and the slider");
  copy.quiet();
  const { execFileSync } = require("node:child_process");
  execFileSync(process.env.SVTD_PROGRAM, ["names", "letters.svtd", "given.json", "-o", "named.svtd", "--quiet"], { cwd: pages.folder });
  const listing = execFileSync(process.env.SVTD_PROGRAM, ["topics", "named.svtd"], { cwd: pages.folder, encoding: "utf8" });
  assert.ok(listing.includes("the sea </script>"));
  await copy.context.close();
  await context.close();
});

test("what a table shows is what is saved", async () => {
  const { page, context } = await open(pages.demo());
  await page.click("#time details summary");
  const download = page.waitForEvent("download");
  await page.click("#time details button:has-text('Save as CSV')");
  const csv = path.join(pages.folder, "shares.csv");
  await (await download).saveAs(csv);
  const rows = fs.readFileSync(csv, "utf8").trim().split("\r\n");
  assert.match(rows[0], /^period,documents,topic 1,/);
  assert.equal(rows.length, 1 + await page.$$eval("#time tbody tr", (all) => all.length));
  await context.close();
});

for (const [what, make] of [["the demo", pages.demo], ["a page of text", pages.text], ["a page of one topic", pages.bare]]) {
  test(`${what} has no accessibility violation in light and dark`, async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, context, quiet } = await open(make(), { colorScheme });
      for (const details of await page.$$("details")) await details.evaluate((node) => { node.open = true; });
      await accessible(page, `${what}, ${colorScheme}`);
      quiet();
      await context.close();
    }
  });
}

test("pages fit screens from 360 to 2560 pixels, in light and dark, and are looked at", async () => {
  for (const [name, make] of [["demo", pages.demo], ["text", pages.text]]) {
    for (const [width, colorScheme] of [[360, "light"], [1280, "light"], [1280, "dark"], [2560, "light"]]) {
      const { page, context } = await open(make(), { viewport: { width, height: 900 }, colorScheme });
      await fits(page);
      await picture(page, `${name}-${width}-${colorScheme}`);
      await context.close();
    }
  }
});

test("dark mode is dark, and with reduced motion nothing moves", async () => {
  const luminance = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0));
  const light = await open(pages.demo(), { colorScheme: "light" });
  const dark = await open(pages.demo(), { colorScheme: "dark", reducedMotion: "reduce" });
  assert.ok(await luminance(light.page) > 650 && await luminance(dark.page) < 120);
  const moving = await dark.page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior !== "auto" ||
    [...document.querySelectorAll("*")].some((node) => { const style = getComputedStyle(node); return style.transitionDuration !== "0s" || style.animationName !== "none"; }));
  assert.equal(moving, false);
  await light.context.close();
  await dark.context.close();
});

test("without a script the tables are there", async () => {
  const { page, context } = await open(pages.text(), { javaScriptEnabled: false });
  const visible = await page.locator("#topics table[data-file=topics]").isVisible();
  assert.ok(visible);
  assert.ok(await page.locator("#documents table").isVisible());
  assert.ok(await page.locator(".map svg").isVisible());
  assert.equal(await page.locator("#list").isVisible(), false);
  await context.close();
});

test("printed, the tables are open and the controls gone", async () => {
  const { page, context } = await open(pages.text());
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.ok(await page.locator("table[data-file=topics]").isVisible());
  assert.equal(await page.locator("#list").isVisible(), false);
  assert.ok((await page.pdf()).length > 10_000);
  await context.close();
});

test("nothing that others wrote is run, and nothing breaks the layout", async () => {
  for (const make of [pages.hostile, pages.hostileText]) {
    for (const width of [360, 1280]) {
      const { page, context, quiet } = await open(make(), { viewport: { width, height: 900 } });
      await page.evaluate(() => { window.hacked = () => { window.wasHacked = true; }; });
      for (const option of await page.$$("#list [role=option]")) { await option.click(); }
      for (const button of (await page.$$("#documents-list .head button")).slice(0, 5)) await button.click();
      for (const details of await page.$$("details")) await details.evaluate((node) => { node.open = true; });
      assert.equal(await page.evaluate(() => window.wasHacked), undefined);
      assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, object, embed, script[src], link").length), 0);
      await fits(page);
      quiet();
      await picture(page, `${path.basename(make(), ".html")}-${width}`);
      await context.close();
    }
  }
});

test("a script or an address that is put into the page is refused by the page", async () => {
  const { page, context, seen } = await open(pages.demo());
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    document.body.insertAdjacentHTML("beforeend", '<img src="http://127.0.0.1:9/x.png"><img src=x onerror="window.ran = true">');
    return fetch("http://127.0.0.1:9/").catch(() => null);
  });
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.ok(seen.troubles.length > 0 && seen.troubles.every((text) => /Content Security Policy|Content-Security-Policy|Fetch API cannot load/i.test(text)), seen.troubles.join("\n"));
  await context.close();
});
