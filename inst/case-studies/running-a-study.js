// Participants who use a collection page. Usage: node running-a-study.js FOLDER PAGE COUNTS. COUNTS is a JSON
// file with one array of counts per participant. Prints a JSON array of the texts of the release files, in the same
// order. FOLDER is for the browser's profile and downloads. Run in the package's root.
"use strict";
const fs = require("fs");
const path = require("path");
const { open, downloaded } = require("../../tests/testthat/collection/webdriver.js");

const [folder, page, counts] = process.argv.slice(2);

const TAB = "\uE004";
const ENTER = "\uE007";

// Opens the page anew, enters the counts by the keyboard, presses the button, downloads the release, and returns its
// text.
const answer = async (browser, values) => {
  await browser.go("file://" + path.resolve(page));
  await browser.run("document.activeElement.blur()"); // from the top of the page, each TAB leads to the next field
  await browser.press(...values.flatMap((value) => [TAB, ...String(value)]), TAB, ENTER);
  await browser.log("performance"); // empties it: it grows with each page
  await browser.click("#download");
  const file = await downloaded(browser);
  const text = fs.readFileSync(file, "utf8");
  fs.unlinkSync(file);
  return text;
};

(async () => {
  const browser = await open(folder);
  try {
    const texts = [];
    for (const values of JSON.parse(fs.readFileSync(counts, "utf8"))) texts.push(await answer(browser, values));
    process.stdout.write(JSON.stringify(texts) + "\n");
  } finally {
    await browser.close();
  }
})().catch((failure) => {
  console.error(failure);
  process.exitCode = 1;
});
