// The collection page in headless Chromium. Usage: node browser.js FOLDER TASK PAGE [ARGUMENTS]. Prints what
// was seen as JSON; R looks at it. FOLDER is for the browser's profile, downloads and pictures.
//
//   counts PAGE VALUE...   types a value into each field, by the keyboard alone, and presses the button
//   text PAGE FILE         drops a text file and presses the button
//   refuse PAGE            the same page without crypto.getRandomValues
//   invalid PAGE VALUE     types a value that is not a count into the first field, and presses the button
//   send PAGE              sends the release to a server
//   pictures PAGE NAME     screenshots before and after, at the widths of a phone and of a desktop
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const { open, until, downloaded } = require("./webdriver.js");

const [folder, task, page, ...args] = process.argv.slice(2);
const TAB = "\uE004";
const ENTER = "\uE007";
const address = "file://" + path.resolve(page);

// Everything that could hold a count after the page was used.
const traces = async (browser) => ({
  requests: (await browser.log("performance"))
    .map((entry) => JSON.parse(entry.message).message)
    .filter((message) => message.method === "Network.requestWillBeSent")
    .map((message) => message.params.request),
  console: await browser.log("browser"),
  address: await browser.address(),
  storage: await browser.run(`return (async () => JSON.stringify({
    local: Object.entries(localStorage), session: Object.entries(sessionStorage), cookies: document.cookie,
    databases: await indexedDB.databases(), state: history.state, name: window.name,
    caches: "caches" in window ? await caches.keys().catch(() => []) : [],
    resources: performance.getEntriesByType("resource").map((entry) => entry.name)
  }))()`),
  html: await browser.run("return document.documentElement.outerHTML"),
  fields: await browser.run(
    "return [...document.querySelectorAll('#entry input, #entry textarea')].map((field) => field.value)"
  ),
  globals: await browser.run("return Object.keys(window).filter((name) => /ldp|sampler|data$/i.test(name))")
});

const shown = (browser) =>
  browser.run(`return [...document.querySelectorAll("#rows tr")].map((row) =>
    [row.children[0].textContent, row.children[1].textContent.replace("\\u2212", "-")])`);

const seen = async (browser) => ({
  focus: await browser.run("return document.activeElement.id"),
  disabled: await browser.run("return document.getElementById('noise').disabled"),
  once: await browser.run("return document.getElementById('once').hidden"),
  status: await browser.run("return document.getElementById('status').textContent"),
  line: await browser.run("return document.getElementById('line').value")
});

const tasks = {
  async counts(browser) {
    await browser.go(address);
    // from the top of the page: each TAB leads to the next field, and then to the button
    await browser.run("document.activeElement.blur()");
    const labels = [];
    for (const value of args) {
      await browser.press(TAB);
      labels.push(await browser.run("return document.activeElement.labels[0].textContent"));
      await browser.press(...value);
    }
    await browser.press(TAB, ENTER);
    const after = await seen(browser);
    await browser.press(TAB, ENTER); // the first button after the heading of the result
    const file = await downloaded(browser);
    await browser.run("document.getElementById('noise').click()"); // nothing happens
    const [rows, again] = [await shown(browser), await seen(browser)];
    return { labels, after, rows, file, again, traces: await traces(browser) };
  },

  async text(browser) {
    await browser.go(address);
    const text = fs.readFileSync(args[0], "utf8");
    await browser.run(
      `const dataTransfer = new DataTransfer();
       dataTransfer.items.add(new File([arguments[0]], "letters.txt", { type: "text/plain" }));
       const drop = new DragEvent("drop", { dataTransfer, bubbles: true });
       document.getElementById("drop").dispatchEvent(drop);`,
      text
    );
    await until(() => browser.run("return document.querySelectorAll('#chosen li').length"));
    // Of the processor, because other programs run at the same time.
    await browser.devtools("Performance.enable", { timeDomain: "threadTicks" });
    const seconds = async () => {
      const { metrics } = await browser.devtools("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value;
    };
    const before = await seconds();
    await browser.click("#noise");
    const busy = (await seconds()) - before;
    await browser.click("#download");
    return {
      seconds: busy, file: await downloaded(browser), after: await seen(browser), rows: await shown(browser),
      traces: await traces(browser)
    };
  },

  // A file that is read slowly, and one that is chosen later and read at once.
  async slow(browser) {
    await browser.go(address);
    await browser.run(
      `window.dropText = (text, name, wait) => {
         const file = new File([text], name, { type: "text/plain" });
         const read = file.arrayBuffer.bind(file);
         file.arrayBuffer = () => wait.then(read);
         const event = new Event("drop", { bubbles: true, cancelable: true });
         event.dataTransfer = { types: ["Files"], files: [file] };
         document.getElementById("drop").dispatchEvent(event);
       };
       window.dropText("late late late", "slow.txt", new Promise((resolve) => { window.goOn = resolve; }));
       window.dropText("early early", "fast.txt", Promise.resolve());`
    );
    const read = (n) => browser.run(`return document.querySelectorAll("#chosen li").length === ${n}`);
    await until(() => read(1));
    const oneRead = await seen(browser);
    await browser.run("window.goOn()");
    await until(() => read(2));
    const bothRead = await seen(browser);
    await browser.click("#noise");
    return { one_read: oneRead, both_read: bothRead, rows: await shown(browser) };
  },

  async same(browser) {
    await browser.go(address);
    return {
      refusal: await browser.run("return document.getElementById('refusal').textContent"),
      hidden: await browser.run("return document.getElementById('page').hidden")
    };
  },

  async refuse(browser) {
    const source = "delete Crypto.prototype.getRandomValues;";
    await browser.devtools("Page.addScriptToEvaluateOnNewDocument", { source });
    await browser.go(address);
    return browser.run(`return {
      missing: typeof crypto.getRandomValues, page: document.getElementById("page").hidden,
      refusal: document.getElementById("refusal").hidden, rows: document.querySelectorAll("#rows tr").length
    }`);
  },

  async invalid(browser) {
    await browser.go(address);
    await browser.type("#count-0", args[0]);
    await browser.click("#noise");
    return {
      after: await seen(browser), rows: await shown(browser),
      problems: await browser.run(
        "return [...document.querySelectorAll('.count .error')].map((problem) => problem.textContent)"
      ),
      invalid: await browser.run("return document.querySelectorAll('[aria-invalid=true]').length")
    };
  },

  // PAGE has an address of 127.0.0.1, in place of PORT; it may connect to this and to no other.
  async send(browser) {
    const received = [];
    const server = http.createServer((request, answer) => {
      let body = "";
      request.on("data", (part) => {
        body += part;
      });
      request.on("end", () => {
        received.push({ method: request.method, url: request.url, headers: request.headers, body });
        answer.writeHead(204, { "Access-Control-Allow-Origin": "*" });
        answer.end();
      });
    });
    await new Promise((resolve) => server.listen(Number(args[0]), "127.0.0.1", resolve));
    try {
      await browser.go(address);
      await browser.type("#count-0", args[1]);
      await browser.click("#noise");
      const before = received.length;
      await browser.click("#send");
      await until(async () => !(await seen(browser)).status.endsWith("..."));
      const elsewhere = await browser.run(
        "return fetch('http://127.0.0.1:9/').then(() => 'allowed', (failure) => String(failure))"
      );
      return { before, received, elsewhere, after: await seen(browser), traces: await traces(browser) };
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },

  async pictures(browser) {
    const name = args[0];
    for (const [width, height, mobile] of [[390, 844, true], [1280, 900, false]]) {
      const whole = async (when) => {
        const tall = await browser.run("return document.documentElement.scrollHeight");
        await browser.size(width, tall, mobile);
        await browser.picture(path.join(folder, `${name}-${width}-${when}.png`));
        await browser.size(width, height, mobile);
      };
      await browser.size(width, height, mobile);
      await browser.go(address);
      await whole("before");
      const fields = await browser.run("return document.querySelectorAll('#counts input').length");
      for (let j = 0; j < fields; j++) await browser.type(`#count-${j}`, String(3 * j));
      if (fields === 0) await browser.type("#typed", "We met the manager and talked about the project.");
      const asked = await browser.run("return !document.getElementById('who').hidden");
      if (asked) await browser.type("#participant", "p07");
      await browser.click("#noise");
      await whole("after");
    }
    const wide = await browser.run("return document.documentElement.scrollWidth > window.innerWidth");
    return { wide };
  }
};

(async () => {
  const browser = await open(folder);
  try {
    await browser.go("about:blank");
    await browser.log("performance"); // requests of the browser itself, as it starts
    process.stdout.write(JSON.stringify(await tasks[task](browser)) + "\n");
  } finally {
    await browser.close();
  }
})().catch((failure) => {
  console.error(failure);
  process.exitCode = 1;
});
