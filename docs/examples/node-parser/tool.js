// A very small tool: the text of an HTML page, headings marked as in markdown.
'use strict';

const BLOCK = new Set(['p', 'li', 'tr', 'div', 'caption', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const SILENT = new Set(['script', 'style', 'title']);
const ENTITY = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function decoded(text) {
  return text.replace(/&(#\d+|[a-z]+);/g, (whole, name) => {
    if (name[0] !== '#') return ENTITY[name] ?? whole;
    const number = Number(name.slice(1));
    const character = number > 0 && number < 0x110000 && (number & 0x1ff800) !== 0xd800;
    return character ? String.fromCodePoint(number) : '\ufffd';
  });
}

function readHtml(bytes) {
  const html = bytes.toString('utf8').replaceAll('\0', '\ufffd');
  const pieces = [];
  let silent = '';
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at);
    if (!silent) pieces.push(decoded(html.slice(at, open < 0 ? html.length : open)));
    if (open < 0) break;
    const comment = html.startsWith('<!--', open);
    const close = html.indexOf(comment ? '-->' : '>', open);
    if (close < 0) break;
    at = close + (comment ? 3 : 1);
    if (comment) continue;
    const [, slash, name] = /^<(\/?)([a-zA-Z0-9]*)/.exec(html.slice(open, open + 20));
    const tag = name.toLowerCase();
    if (silent) {
      if (slash && tag === silent) silent = '';
    } else if (SILENT.has(tag) && !slash) {
      silent = tag;
    } else if (BLOCK.has(tag)) {
      pieces.push('\n\n');
      if (!slash && /^h[1-6]$/.test(tag)) pieces.push('#'.repeat(Number(tag[1])) + ' ');
    } else if (tag === 'td' || tag === 'th') {
      pieces.push(' ');
    }
  }
  return pieces.join('').replace(/\n\s*\n\s*/g, '\n\n').trim();
}

module.exports = { readHtml };
