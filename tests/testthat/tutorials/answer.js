// A tutorial in headless Chromium. Usage: node answer.js FOLDER RSCRIPT TUTORIAL ANSWERS. Runs the tutorial with
// learnr, types each of the answers (a file with JSON: label, code) into the editor of its exercise, and submits it.
// Prints what the reader then sees, as JSON. FOLDER is for the browser's profile, and for a picture if something fails.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");
const { open } = require("../collection/webdriver.js");

const [folder, rscript, tutorial, answers] = process.argv.slice(2);

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Waits until check() returns something, at most two minutes: a fit may take as long on a busy machine.
const until = async (check, what = "") => {
  for (let tries = 0; tries < 600; tries++) {
    const found = await check();
    if (found) return found;
    await pause(200);
  }
  throw new Error("waited in vain for " + check + what);
};

// The address at which R says that it listens.
const addressOf = (server) =>
  new Promise((resolve, reject) => {
    let said = "";
    server.stderr.on("data", (text) => {
      said += text;
      const found = /Listening on (http:\/\/[0-9.:]+)/.exec(said);
      if (found) resolve(found[1]);
    });
    server.on("exit", () => reject(new Error("R ended: " + said)));
  });

const submit = async (browser, { label, code }) => {
  const id = `tutorial-exercise-${label}`;
  await browser.run(
    `document.querySelectorAll("#" + arguments[0] + "-output .alert").forEach((alert) => alert.remove());
     ace.edit(arguments[0] + "-code-editor").setValue(arguments[1], 1);`,
    id, code
  );
  // the editor reports a change after a while, and the button is disabled while an answer is running
  await pause(1000);
  await until(() => browser.run(
    `const buttons = document.querySelectorAll("[data-label='" + arguments[0] + "'] .btn-tutorial-run");
     const button = [...buttons].find((each) => each.textContent.includes("Submit"));
     if (!button || button.disabled || document.documentElement.classList.contains("shiny-busy")) return false;
     button.click();
     return true;`,
    label
  ));
  return until(() => browser.run(
    `const alert = document.querySelector("#" + arguments[0] + "-output .alert");
     return alert && { label: arguments[1], correct: alert.classList.contains("alert-success"),
       message: alert.textContent.trim() };`,
    id, label
  ), ` in exercise ${label}`);
};

(async () => {
  const code = `options(tutorial.storage = "none")
    rmarkdown::run(commandArgs(TRUE), shiny_args = list(launch.browser = FALSE))`;
  const server = spawn(rscript, ["-e", code, tutorial], { stdio: ["ignore", "ignore", "pipe"] });
  let browser;
  try {
    const address = await addressOf(server);
    browser = await open(folder);
    await browser.size(1000, 1400, false);
    await browser.go(address);
    const idle = () => until(() => browser.run(
      `return document.querySelectorAll(".btn-tutorial-run").length > 0 && Shiny.shinyapp.isConnected() &&
         !document.documentElement.classList.contains("shiny-busy")`
    ));
    await pause(5000); // for learnr to restore what the reader did before
    await idle();
    // all sections at once, for a reader who has come to the end
    await browser.run(
      `const style = document.createElement("style");
       style.textContent = ".topic, .section, .exercise { display: block !important; }";
       document.head.append(style);
       $(".topic, .section").trigger("shown");
       $(window).trigger("resize");`
    );
    await pause(2000);
    await idle();
    const seen = [];
    for (const answer of JSON.parse(fs.readFileSync(answers, "utf8"))) seen.push(await submit(browser, answer));
    console.log(JSON.stringify(seen));
  } catch (failure) {
    if (browser) await browser.picture(path.join(folder, "failed.png"));
    throw failure;
  } finally {
    if (browser) await browser.close();
    server.removeAllListeners("exit");
    server.kill();
  }
})().catch((failure) => {
  console.error(failure);
  process.exit(1);
});
