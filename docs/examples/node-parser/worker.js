// The process that holds the tool. It may hang, grow or die: server.js ends it, and starts another.
'use strict';

const fs = require('node:fs');
const { readHtml } = require('./tool');

const LIMIT = 1200; // characters in a chunk, at most
const PIECE = 262144; // characters in one text line of the output

let text = ''; // of the document parsed last, for its chunks

function line(item) {
  return JSON.stringify(item) + '\n';
}

// Pieces of at most so many characters; a pair of surrogates is never cut.
function* pieces(whole, most) {
  for (let at = 0; at < whole.length;) {
    let end = Math.min(at + most, whole.length);
    if (end < whole.length && (whole.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
    yield whole.slice(at, end);
    at = end;
  }
}

// The common form: JSON lines, meta first. Nothing of this is timed.
function writeOutput(file) {
  const out = fs.openSync(file, 'w');
  fs.writeSync(out, line({ kind: 'meta', text_format: 'markdown', pages: null }));
  for (const piece of pieces(text, PIECE)) fs.writeSync(out, line({ kind: 'text', text: piece }));
  for (const found of text.matchAll(/^(#{1,6}) (.+)$/gm)) {
    fs.writeSync(out, line({
      kind: 'heading', text: found[2], level: found[1].length, parent: null, page: null, source: 'derived',
    }));
  }
  fs.closeSync(out);
}

function writeChunks(file) {
  const out = fs.openSync(file, 'w');
  let chunk = '';
  const flush = () => {
    if (chunk.trim()) fs.writeSync(out, line({ kind: 'chunk', text: chunk, heading: null }));
    chunk = '';
  };
  for (const paragraph of text.split(/\n\n+/)) {
    for (const piece of pieces(paragraph, LIMIT)) {
      if (chunk.length + piece.length > LIMIT) flush();
      chunk += (chunk && '\n\n') + piece;
    }
  }
  flush();
  fs.closeSync(out);
}

process.on('message', (asked) => {
  try {
    if (asked.op === 'parse') {
      process.send({ op: 'started' });
      const begun = process.hrtime.bigint();
      text = readHtml(fs.readFileSync(asked.path)); // the tool's own text: this is what is timed
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
      process.send({ op: 'finished', seconds });
      writeOutput(asked.output);
      const empty = !text.trim();
      process.send({ op: 'done', status: empty ? 'EMPTY' : 'OK', reason: empty ? 'the tool returned no text' : '' });
    } else {
      writeChunks(asked.output);
      process.send({ op: 'done', status: 'OK', reason: '' });
    }
  } catch (error) {
    text = '';
    const reason = `${error.name}: ${error.message}`.replace(/\s+/g, ' ').slice(0, 400);
    process.send({ op: 'done', status: 'ERROR', reason });
  }
});
process.on('disconnect', () => process.exit());
process.send({ op: 'loaded' });
