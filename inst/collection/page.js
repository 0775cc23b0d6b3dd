// The collection page: reads counts, adds noise once, and offers the release. True counts are in the fields
// of the form and in variables of this script only. They are never stored, logged, put in the address, or
// sent, and they are removed when the noise has been added.
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const LARGEST_COUNT = 2147483647;

  // Replaces {name} in a text of the page.
  const say = (name, values = {}) =>
    data.texts[name].replace(/\{(\w+)\}/g, (whole, key) => (key in values ? values[key] : whole));

  // An element with attributes and text. Text is never read as HTML.
  const make = (tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };

  const show = (id, visible = true) => {
    byId(id).hidden = !visible;
  };

  const tell = (text) => {
    byId("status").textContent = text;
  };

  // --- what the noise protects -----------------------------------------------------------------------

  // A hundred dots, of which `n` are filled.
  const drawArray = (id, n) => {
    for (let i = 0; i < 100; i++) {
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      dot.setAttribute("cx", 5 + 10 * (i % 20));
      dot.setAttribute("cy", 5 + 10 * Math.floor(i / 20));
      dot.setAttribute("r", 3.6);
      dot.setAttribute("class", i < n ? "dot on" : "dot");
      byId(id).append(dot);
    }
  };

  // --- entry of counts -------------------------------------------------------------------------------

  const addCountFields = () => {
    data.items.forEach((item, j) => {
      const row = make("div", { class: "count" });
      const pair = make("div", { class: "pair" });
      const describedBy = `count-${j}-error`;
      pair.append(
        make("label", { for: `count-${j}` }, item),
        make("input", {
          id: `count-${j}`, type: "text", inputmode: "numeric", maxlength: "20", autocomplete: "off",
          "aria-describedby": describedBy
        })
      );
      row.append(pair, make("p", { id: describedBy, class: "error" }));
      byId("counts").append(row);
    });
  };

  // Marks a field as wrong, or, without a problem, as right.
  const mark = (id, problem) => {
    if (problem) byId(id).setAttribute("aria-invalid", "true");
    else byId(id).removeAttribute("aria-invalid");
    byId(`${id}-error`).textContent = problem;
    return problem === "" ? null : id;
  };

  // A number, NaN for a missing count, or the name of a text that says what is wrong.
  const readCount = (text) => {
    const digits = text.trim();
    if (digits === "") return data.keepMissing ? NaN : "error_missing";
    if (!/^[0-9]+$/.test(digits)) return "error_whole";
    return Number(digits) > LARGEST_COUNT ? "error_large" : Number(digits);
  };

  // The counts of the fields, or null after problems were shown.
  const enteredCounts = () => {
    const counts = data.items.map((item, j) => readCount(byId(`count-${j}`).value));
    const wrong = counts.map((count, j) => mark(`count-${j}`, typeof count === "string" ? say(count) : ""));
    const first = wrong.find((id) => id !== null);
    if (first === undefined) return counts;
    byId(first).focus();
    tell("");
    return null;
  };

  // --- entry of text ---------------------------------------------------------------------------------

  const WORD = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*/gu;
  const normal = (text) => text.normalize("NFC").toLowerCase().replace(/\u2019/g, "'");

  const countWords = (texts) => {
    const place = new Map(data.items.map((item, j) => [normal(item), j]));
    const counts = new Array(data.items.length).fill(0);
    for (const text of texts) {
      for (const [word] of normal(text).matchAll(WORD)) {
        const j = place.get(word);
        if (j !== undefined) counts[j]++;
      }
    }
    return counts;
  };

  let fileTexts = [];
  let reading = 0; // how many choices of files are being read
  let done = false; // was the noise added?

  // Text in UTF-8 or UTF-16; other files are read as Western European.
  const decode = (buffer) => {
    const [first, second] = new Uint8Array(buffer.slice(0, 2));
    if (first === 255 && second === 254) return new TextDecoder("utf-16le").decode(buffer);
    if (first === 254 && second === 255) return new TextDecoder("utf-16be").decode(buffer);
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(buffer);
    } catch {
      return new TextDecoder("windows-1252").decode(buffer);
    }
  };

  const readFiles = async (files) => {
    if (done) return;
    reading++;
    byId("noise").disabled = true; // until all files are read
    for (const file of files) {
      try {
        fileTexts.push(decode(await file.arrayBuffer()));
        byId("chosen").append(make("li", {}, say("file_read", { file: file.name })));
        tell(say("file_read", { file: file.name }));
      } catch {
        tell(say("error_file", { file: file.name }));
      }
    }
    mark("typed", "");
    reading--;
    byId("noise").disabled = reading > 0;
  };

  const listenForFiles = () => {
    const drop = byId("drop");
    byId("files").addEventListener("change", async (event) => {
      await readFiles([...event.target.files]);
      event.target.value = "";
    });
    // Everywhere on the page, because the browser would open a file that is dropped elsewhere. Other things, such
    // as a selected text, are left to the browser.
    for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
      document.addEventListener(type, (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        drop.classList.toggle("over", type === "dragenter" || type === "dragover");
        if (type === "drop") readFiles([...event.dataTransfer.files]);
      });
    }
  };

  const countedText = () => {
    const texts = [byId("typed").value, ...fileTexts];
    if (texts.some((text) => text.trim() !== "")) {
      mark("typed", "");
      return countWords(texts);
    }
    mark("typed", say("error_no_text"));
    byId("typed").focus();
    return null;
  };

  // --- the release -----------------------------------------------------------------------------------

  // Noise is drawn by code that has no access to counts, and is then added. A missing count stays missing.
  const release = (counts) => {
    const bits = ldpSampler.openBits(ldpSampler.secureSource(), 256);
    try {
      const tau = ldpSampler.noise(bits, counts.length, BigInt(data.s), BigInt(data.t));
      return counts.map((count, j) => (Number.isNaN(count) ? null : BigInt(count) + tau[j]));
    } finally {
      bits.close();
    }
  };

  const asText = (count) => (count === null ? "NA" : String(count));

  // As escape() of R/release-file.R.
  const escapeLabel = (label) =>
    label.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t");

  // The file that write_release() would write.
  const releaseFile = (released, label) => {
    const largest = BigInt(LARGEST_COUNT);
    const fits = released.every((count) => count === null || (count <= largest && count >= -largest));
    const cells = released.flatMap((count, j) => (count === 0n ? [] : [`1 ${j + 1} ${asText(count)}`]));
    const storage = fits ? "storage: dense integer" : "storage: dense double";
    const head = data.head.map((text) => text.replace(/^storage: .*/, storage));
    const rowLabels = label === "" ? [] : ["row_labels:", escapeLabel(label)];
    const columnLabels = ["column_labels:", ...data.items.map(escapeLabel)];
    return [...head, ...rowLabels, ...columnLabels, `cells: ${cells.length}`, ...cells, "end", ""].join("\n");
  };

  // CRC-32 of ASCII text, as checksums() of R/release-many.R.
  const checkSum = (text) => {
    let crc = 0xffffffff;
    for (const character of text) {
      crc ^= character.charCodeAt(0);
      for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
  };

  // Only letters and digits of ASCII stay as they are; all else becomes %XX of its bytes in UTF-8.
  const encodeLabel = (label) =>
    [...new TextEncoder().encode(label)].map((byte) => {
      const character = String.fromCharCode(byte);
      if (/[A-Za-z0-9]/.test(character)) return character;
      return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    }).join("");

  // The form for survey platforms, which read_release_lines() reads.
  const releaseLine = (released, label) => {
    const text = `${data.lineHead}:${released.map(asText).join(".")}:${encodeLabel(label)}`;
    return `${text}:${checkSum(text)}`;
  };

  // --- what is done with it --------------------------------------------------------------------------

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(say("copied"));
    } catch {
      tell(say("not_copied"));
    }
  };

  // So that the files of many participants have different names. Not one of the bits of the noise.
  const fileName = () => {
    const bytes = new Uint8Array(4);
    ldpSampler.secureSource()(bytes);
    return `release-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}.txt`;
  };

  const download = (file, name) => {
    const address = URL.createObjectURL(new Blob([file], { type: "text/plain;charset=utf-8" }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    tell(say("downloaded", { file: name }));
  };

  const send = async (file) => {
    byId("send").disabled = true;
    tell(say("sending"));
    try {
      const answer = await fetch(data.postTo, {
        method: "POST", body: file, headers: { "Content-Type": "text/plain;charset=UTF-8" },
        credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store"
      });
      if (!answer.ok) throw new Error();
      tell(say("sent"));
    } catch {
      byId("send").disabled = false;
      tell(say("not_sent"));
    }
  };

  const offer = (released, label) => {
    const file = releaseFile(released, label);
    const name = fileName();
    const on = (id, offered, act) => {
      show(id, offered);
      byId(id).addEventListener("click", act);
    };
    on("send", data.postTo !== null, () => send(file));
    show("send-how", data.postTo !== null);
    on("download", data.offer.includes("file"), () => download(file, name));
    on("copy-text", data.offer.includes("text"), () => copy(file));
    if (data.postTo !== null) byId("download").classList.remove("main");
    if (data.offer.includes("line")) {
      byId("line").value = releaseLine(released, label);
      byId("line").addEventListener("focus", (event) => event.target.select());
      byId("copy-line").addEventListener("click", () => copy(byId("line").value));
      show("one-line");
    }
    const rows = released.map((count, j) => {
      const row = make("tr");
      const shown = count === null ? say("masked") : String(count).replace("-", "\u2212");
      row.append(make("th", { scope: "row" }, data.items[j]), make("td", { class: "number" }, shown));
      return row;
    });
    byId("rows").append(...rows);
    show("result");
    byId("result-title").focus();
    byId("result").scrollIntoView();
  };

  // Removes all that was entered.
  const forget = () => {
    byId("form").reset();
    for (const field of byId("entry").querySelectorAll("input, textarea")) field.value = "";
    fileTexts = [];
    byId("chosen").replaceChildren();
  };

  const press = (event) => {
    event.preventDefault();
    if (done || byId("noise").disabled) return;
    const label = data.participant ? byId("participant").value.trim() : "";
    const counts = data.input === "text" ? countedText() : enteredCounts();
    if (counts === null) return;
    if (data.participant && mark("participant", label === "" ? say("error_participant") : "")) {
      byId("participant").focus();
      return;
    }
    done = true; // before the noise: a second release would reveal more
    byId("noise").disabled = true;
    let released;
    try {
      released = release(counts);
    } catch {
      refuse();
      return;
    } finally {
      counts.fill(0);
      forget();
    }
    show("entry", false);
    show("once");
    tell(say("noised"));
    offer(released, label);
  };

  const refuse = () => {
    show("page", false);
    show("refusal");
  };

  show("unsupported", false);
  // Of two equal words, the second would get all counts. collection_page() cannot compose all scripts.
  const ambiguous = data.input === "text" && new Set(data.items.map(normal)).size < data.items.length;
  if (ambiguous) byId("refusal").textContent = "The page has two items that are the same word.";
  if (ambiguous || ldpSampler.secureSource() === null) {
    refuse();
    return;
  }
  drawArray("array-without", 50);
  drawArray("array-with", data.right);
  if (data.input === "text") listenForFiles();
  else addCountFields();
  show(data.input === "text" ? "text" : "counts");
  show("who", data.participant);
  byId("form").addEventListener("submit", press);
  window.addEventListener("pagehide", forget); // browsers keep pages that one can go back to
  show("page");
})();
