// A parser service: answers parser.proto, owns one worker process, and ends it when a limit is passed.
'use strict';

const { fork } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { once } = require('node:events');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');
const processes = require('./processes');

const PROTO = process.env.PROTO ?? path.join(__dirname, 'proto');
const DOCUMENTS = process.env.DOCUMENTS ?? '/documents';
const LISTEN = process.env.LISTEN ?? '0.0.0.0:50051';
const SCRATCH = fs.mkdtempSync('/tmp/parser-');
const SLICE = 1 << 20;
const LOOK_MILLISECONDS = 20;
const FORMATS = ['html'];
const PROBE = '<!DOCTYPE html><html><body><h1>Probe</h1><p>A page that is read before anything is measured.</p></body></html>';

const types = grpc.loadPackageDefinition(protoLoader.loadSync(
  [path.join(PROTO, 'docassay/v1/parser.proto'), path.join(__dirname, 'health.proto')],
  { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true, includeDirs: [PROTO, __dirname] },
));

const sha256 = (...files) => {
  const digest = createHash('sha256');
  for (const file of files) digest.update(fs.readFileSync(path.join(__dirname, file)));
  return digest.digest('hex');
};

const DESCRIPTION = {
  name: 'node_html',
  version: '1.0.0',
  formats: FORMATS,
  capabilities: ['text', 'headings', 'chunks'],
  chunker: 'node_html@1.0.0',
  native_chunker: true,
  lock_digest: sha256('package-lock.json'),
  adapter_digest: sha256('server.js', 'worker.js', 'processes.js', 'tool.js', 'health.proto'),
  licence: 'Apache-2.0',
  state: 'PARSER_STATE_READY',
};

let worker = null;
let busy = false; // one document at a time: a second caller is refused, never queued
let parses = 0;
let held = ''; // the parse whose chunks can be asked for

const refusal = (code, details) => Object.assign(new Error(details), { code, details });
const invalid = (details) => refusal(grpc.status.INVALID_ARGUMENT, details);

function endWorker() {
  worker?.kill('SIGKILL');
  worker = null;
  held = '';
}

async function startWorker() {
  endWorker();
  const started = fork(path.join(__dirname, 'worker.js'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  worker = started;
  started.on('exit', () => { if (worker === started) endWorker(); });
  const [told] = await Promise.race([once(started, 'message'), once(started, 'exit').then(() => [null])]);
  if (told?.op !== 'loaded') throw new Error('the worker did not load');
}

// Ask the worker, and end it when it takes too long or too much. Resolves with how it ended.
function ask(message, { seconds, memory }, { started = () => {}, finished = () => {}, given } = {}) {
  const asked = worker;
  const seen = { status: '', reason: '', worker_seconds: 0, peak: 0, cpu: 0, ended: false };
  processes.forgetPeak(asked.pid);
  const cpu = processes.cpuSeconds(asked.pid);
  return new Promise((resolve) => {
    let begun = performance.now();
    const look = () => { seen.peak = Math.max(seen.peak, processes.peakBytes(asked.pid)); };
    const end = (status, reason, ended) => {
      clearInterval(watch);
      asked.off('message', heard);
      asked.off('exit', died);
      given?.removeEventListener('abort', left);
      if (ended) endWorker();
      resolve({ ...seen, status, reason, ended });
    };
    // What was passed is told before what was done: late is late, even if nobody looked in between.
    const overrun = () => {
      look();
      if (memory && seen.peak > memory) {
        end('OOM', `${seen.peak >> 20} MiB of memory used, ${memory >> 20} MiB allowed`, true);
      } else if (performance.now() - begun > seconds * 1000) {
        end('TIMEOUT', `still working after ${seconds} s`, true);
      } else return false;
      return true;
    };
    const heard = (told) => {
      if (told.op === 'started') {
        begun = performance.now();
        started();
      } else if (told.op === 'finished') {
        seen.cpu = processes.cpuSeconds(asked.pid) - cpu;
        seen.worker_seconds = told.seconds;
        if (overrun()) return;
        finished();
        begun = performance.now(); // reading the result has a time of its own
      } else {
        look();
        end(told.status, told.reason, false);
      }
    };
    const died = (code, signal) => end('CRASH', `the worker left with ${signal ?? `exit code ${code}`}`, true);
    const left = () => end('CRASH', 'the call was given up', true);
    const watch = setInterval(overrun, LOOK_MILLISECONDS);
    asked.on('message', heard);
    asked.on('exit', died);
    given?.addEventListener('abort', left);
    asked.send(message);
  });
}

async function write(call, message) {
  if (!call.write(message)) await once(call, 'drain', { signal: call.given.signal });
}

async function writeFile(call, file) {
  for await (const slice of fs.createReadStream(file, { highWaterMark: SLICE })) await write(call, { output: slice });
}

function inside(name) {
  return name && !path.isAbsolute(name) && !name.split('/').includes('..') ? path.join(DOCUMENTS, name) : '';
}

function isFile(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

// The header, and where the document lies: received here if it came as bytes.
function receive(call) {
  const target = path.join(SCRATCH, 'document');
  const file = fs.openSync(target, 'w');
  let header = null;
  const take = (request) => {
    if (!header && !request.header) throw invalid('the first message of Parse must be its header');
    if (header && request.part !== 'data') throw invalid('after its header, Parse takes data alone');
    if (header) return fs.writeSync(file, request.data);
    header = request.header;
    if (!(header.deadline_seconds > 0 && Number.isFinite(header.deadline_seconds))) {
      throw invalid('deadline_seconds must be above zero');
    }
  };
  const locate = () => {
    if (!header) throw invalid('the first message of Parse must be its header');
    if (!header.path) return { header, document: target };
    const document = inside(header.path);
    if (isFile(document)) return { header, document };
    throw refusal(grpc.status.NOT_FOUND, `no document ${header.path} under the documents folder`);
  };
  return new Promise((resolve, reject) => {
    call.on('data', (request) => { try { take(request); } catch (error) { reject(error); } });
    call.on('end', () => { try { resolve(locate()); } catch (error) { reject(error); } });
    call.given.signal.addEventListener('abort', () => reject(invalid('the caller left')));
  }).finally(() => fs.closeSync(file));
}

const done = (status, reason, more = {}) => (
  { done: { status: `PARSE_STATUS_${status}`, reason, assisted: 'ASSISTANCE_NONE', ...more } }
);

async function parse(call) {
  const { header, document } = await receive(call);
  held = '';
  if (!FORMATS.includes(header.format)) {
    call.write(done('UNSUPPORTED', `node_html does not read ${header.format} documents`));
    return;
  }
  if (!worker) await startWorker();
  const output = path.join(SCRATCH, 'output');
  const limits = { seconds: header.deadline_seconds, memory: header.memory_bytes };
  const seen = await ask({ op: 'parse', path: document, output }, limits, {
    started: () => call.write({ started: {} }),
    finished: () => call.write({ finished: {} }),
    given: call.given.signal,
  });
  if (['OK', 'EMPTY'].includes(seen.status)) {
    held = String(++parses);
    await writeFile(call, output);
  }
  call.write(done(seen.status, seen.reason, {
    parse_id: held,
    worker_seconds: seen.worker_seconds,
    cpu_seconds: Math.max(seen.cpu, 0),
    peak_memory_bytes: seen.peak,
    worker_ended: seen.ended,
  }));
}

async function chunk(call) {
  if (!held || call.request.parse_id !== held) {
    throw refusal(grpc.status.FAILED_PRECONDITION, 'that parse is not held any more');
  }
  const output = path.join(SCRATCH, 'chunks');
  const begun = performance.now();
  const seen = await ask({ op: 'chunk', output }, { seconds: 120, memory: 0 }, { given: call.given.signal });
  if (seen.status === 'OK') await writeFile(call, output);
  held = '';
  call.write({
    done: {
      status: `PARSE_STATUS_${seen.status}`, reason: seen.reason, chunker: DESCRIPTION.chunker, native: true,
      seconds: (performance.now() - begun) / 1000,
    },
  });
}

async function warmup(request) {
  const begun = performance.now();
  await startWorker();
  const load_seconds = (performance.now() - begun) / 1000;
  const document = path.join(SCRATCH, 'document');
  fs.writeFileSync(document, PROBE);
  const limits = { seconds: request.deadline_seconds || 300, memory: request.memory_bytes };
  const seen = await ask({ op: 'parse', path: document, output: path.join(SCRATCH, 'output') }, limits);
  const probe = { format: 'html', status: `PARSE_STATUS_${seen.status}`, reason: seen.reason, seconds: seen.worker_seconds };
  const ready = seen.status === 'OK';
  return {
    state: ready ? 'PARSER_STATE_READY' : 'PARSER_STATE_UNHEALTHY', reason: seen.reason, load_seconds, probes: [probe],
  };
}

// One call works at a time, however it ends.
async function alone(work) {
  if (busy) throw refusal(grpc.status.RESOURCE_EXHAUSTED, 'this service works on another document; it takes one');
  busy = true;
  try {
    return await work();
  } finally {
    busy = false;
  }
}

const unary = (work) => (call, answer) => {
  Promise.resolve(call.request).then(work).then(
    (value) => answer(null, value),
    (error) => answer(error.code ? error : refusal(grpc.status.INTERNAL, error.message)),
  );
};

const streaming = (work) => (call) => {
  call.given = new AbortController();
  call.on('cancelled', () => call.given.abort());
  alone(() => work(call)).then(
    () => call.end(),
    (error) => call.emit('error', error.code > 0 ? error : refusal(grpc.status.INTERNAL, error.message)),
  );
};

function describe({ probe_path }) {
  const probe = inside(probe_path);
  const probe_sha256 = isFile(probe) ? createHash('sha256').update(fs.readFileSync(probe)).digest('hex') : '';
  return { ...DESCRIPTION, probe_sha256 };
}

const server = new grpc.Server();

function end() {
  endWorker();
  server.tryShutdown(() => process.exit(0));
  setTimeout(() => process.exit(0), 2000);
}

server.addService(types.docassay.v1.Parser.service, {
  Describe: unary(describe),
  Warmup: unary((request) => alone(() => warmup(request))),
  Parse: streaming(parse),
  Chunk: streaming(chunk),
  Unload: unary(() => alone(async () => { endWorker(); return {}; })),
  Shutdown: unary(() => { setTimeout(end, 200); return {}; }), // once this is answered
});
server.addService(types.grpc.health.v1.Health.service, { Check: unary(() => ({ status: 'SERVING' })) });
server.bindAsync(LISTEN, grpc.ServerCredentials.createInsecure(), (error) => {
  if (error) {
    console.error(`cannot listen at ${LISTEN}: ${error.message}`);
    process.exit(1);
  }
});
process.on('SIGTERM', end);
