// The sampler of the collection page on scripted bits, as tapes.c does it for C: see there. Usage:
//
//   node tapes.js SAMPLER primitives DEPTH DEPTH_EXP    one line per case
//   node tapes.js SAMPLER tapes S T LENGTH    a draw from each tape of LENGTH bytes of standard input
//   node tapes.js SAMPLER row S T             draws from one tape on standard input, until it ends
//   node tapes.js SAMPLER secure S T N        N draws from the secure source
"use strict";
const fs = require("fs");
const vm = require("vm");

const [samplerFile, what, ...args] = process.argv.slice(2);
// A const of a script is not a property of its global object, so the last line returns it.
const sampler = vm.runInThisContext(fs.readFileSync(samplerFile, "utf8") + "\nldpSampler;");

const DRY = Symbol("the source ran dry"); // thrown: faster than an error, which has a stack

// The source that gives the `depth` binary digits of `tape`, the highest first, and is dry after them.
const openTape = (tape, depth) => {
  const digits = tape.toString(2).padStart(depth, "0");
  let used = 0;
  return {
    bit() {
      if (used === depth) throw DRY;
      return digits.charCodeAt(used++) & 1; // the code of "0" is even
    },
    used: () => used
  };
};

// The value that code() returns, or undefined if its source ran dry.
const unlessDry = (code) => {
  try {
    return code();
  } catch (failure) {
    if (failure === DRY) return undefined;
    throw failure;
  }
};

// The draws of all tapes, from that of zeros upwards: their number, and a hash of bits used and values.
const enumerate = (draw, depth) => {
  const end = 1n << BigInt(depth);
  let draws = 0;
  let hash = 2166136261;
  const add = (x) => {
    hash = Math.imul(hash ^ x, 16777619) >>> 0;
  };
  for (let tape = 0n; tape < end; draws++) {
    const bits = openTape(tape, depth);
    const value = unlessDry(() => draw(bits));
    add(value === undefined ? 255 : bits.used());
    add(value === undefined ? 255 : Number(value));
    tape += value === undefined ? 1n : 1n << BigInt(depth - bits.used());
  }
  return `${draws} ${hash}`;
};

const primitives = (depth, depthExp) => {
  const lines = [];
  const say = (name, p, q, draw, to = depth) => lines.push(`${name} ${p} ${q} ${enumerate(draw, to)}`);
  for (let q = 1n; q <= 64n; q++) {
    for (let p = 0n; p <= q; p++) say("bernoulli", p, q, (bits) => sampler.bernoulli(bits, p, q));
    say("uniform", q, 0, (bits) => sampler.uniform(bits, q));
  }
  for (const q of [1n, 2n, 3n, 10n]) {
    for (let p = 0n; p <= q; p++) {
      say("bernoulli_exp", p, q, (bits) => sampler.bernoulliExp(bits, p, q), depthExp);
    }
  }
  return lines;
};

// Bits from bytes, the lowest first, by the sampler's own openBits(); a refill is one byte.
const openBytes = (bytes) => {
  let next = 0;
  const bits = sampler.openBits((buffer) => {
    if (next === bytes.length) throw DRY;
    buffer[0] = bytes[next++];
  }, 1);
  let used = 0;
  return {
    bit() {
      const bit = bits.bit();
      used++;
      return bit;
    },
    used: () => used
  };
};

const drawn = (bits, s, t) => {
  const value = unlessDry(() => sampler.twogeom(bits, s, t));
  return value === undefined ? "dry" : `${value} ${bits.used()}`;
};

const tapes = (bytes, s, t, length) => {
  const lines = [];
  for (let at = 0; at < bytes.length; at += length) {
    lines.push(drawn(openBytes(bytes.subarray(at, at + length)), s, t));
  }
  return lines;
};

const row = (bytes, s, t) => {
  const bits = openBytes(bytes);
  const lines = [];
  for (let line = drawn(bits, s, t); line !== "dry"; line = drawn(bits, s, t)) lines.push(line);
  return lines;
};

const secure = (s, t, n) => sampler.noise(sampler.openBits(sampler.secureSource(), 256), n, s, t).map(String);

const [s, t] = args.map(BigInt);
const input = () => fs.readFileSync(0);
const lines = {
  primitives: () => primitives(Number(args[0]), Number(args[1])),
  tapes: () => tapes(input(), s, t, Number(args[2])),
  row: () => row(input(), s, t),
  secure: () => secure(s, t, Number(args[2]))
}[what]();
process.stdout.write(lines.join("\n") + "\n");
