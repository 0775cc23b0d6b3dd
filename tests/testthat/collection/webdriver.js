// Headless Chromium, driven by chromedriver's protocol (WebDriver) and Node's fetch, without further
// packages.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");

const FLAGS = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-dev-shm-usage",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
  "--disable-features=OptimizationHints,MediaRouter"
];
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

// The line of chromedriver that says on which port it listens.
const portOf = (driver) =>
  new Promise((resolve, reject) => {
    let said = "";
    driver.stdout.on("data", (text) => {
      said += text;
      const found = /started successfully on port (\d+)/.exec(said);
      if (found) resolve(Number(found[1]));
    });
    driver.on("exit", () => reject(new Error("chromedriver ended: " + said)));
    driver.on("error", reject);
  });

// Opens a browser, with a profile and a folder for downloads in `folder`.
const open = async (folder) => {
  const profile = path.resolve(folder, "profile");
  const downloads = path.resolve(folder, "downloads");
  fs.mkdirSync(downloads, { recursive: true });
  const driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "ignore"] });
  const root = `http://127.0.0.1:${await portOf(driver)}/session`;
  const call = async (method, address, body) => {
    const answer = await fetch(address, { method, body: body && JSON.stringify(body) });
    const { value } = await answer.json();
    if (value && value.error) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  const options = {
    args: [...FLAGS, `--user-data-dir=${profile}`],
    prefs: { "download.default_directory": downloads, "download.prompt_for_download": false }
  };
  const session = await call("POST", root, {
    capabilities: {
      alwaysMatch: {
        browserName: "chrome", "goog:chromeOptions": options,
        "goog:loggingPrefs": { performance: "ALL", browser: "ALL" }
      }
    }
  }).catch((failure) => {
    driver.kill();
    throw failure;
  });
  const at = `${root}/${session.sessionId}`;
  const find = async (css) =>
    (await call("POST", `${at}/element`, { using: "css selector", value: css }))[ELEMENT];
  const browser = {
    downloads, profile,
    go: (address) => call("POST", `${at}/url`, { url: address }),
    address: () => call("GET", `${at}/url`),
    run: (script, ...args) => call("POST", `${at}/execute/sync`, { script, args }),
    devtools: (cmd, params = {}) => call("POST", `${at}/goog/cdp/execute`, { cmd, params }),
    type: async (css, text) => call("POST", `${at}/element/${await find(css)}/value`, { text }),
    click: async (css) => call("POST", `${at}/element/${await find(css)}/click`, {}),
    // Presses keys where the focus is.
    press: (...keys) => {
      const actions = keys.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
      return call("POST", `${at}/actions`, { actions: [{ type: "key", id: "keys", actions }] });
    },
    log: (type) => call("POST", `${at}/se/log`, { type }),
    picture: async (file) => {
      fs.writeFileSync(file, Buffer.from(await call("GET", `${at}/screenshot`), "base64"));
    },
    size: (width, height, mobile) =>
      browser.devtools("Emulation.setDeviceMetricsOverride", {
        width, height, deviceScaleFactor: mobile ? 2 : 1, mobile
      }),
    close: async () => {
      await call("DELETE", at).catch(() => undefined);
      driver.kill();
    }
  };
  return browser;
};

// Waits until check() returns something, at most ten seconds.
const until = async (check) => {
  for (let tries = 0; tries < 200; tries++) {
    const found = await check();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("waited in vain for " + check);
};

// The name of the release that the browser downloaded. A download exists before it is complete.
const downloaded = (browser) =>
  until(() => {
    const name = fs.readdirSync(browser.downloads).find((each) => /^release-[0-9a-f]{8}\.txt$/.test(each));
    const file = name && path.join(browser.downloads, name);
    return file && fs.readFileSync(file, "utf8").endsWith("\nend\n") && file;
  });

module.exports = { open, until, downloaded };
