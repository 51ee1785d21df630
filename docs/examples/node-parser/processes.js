// What /proc tells of the worker: its memory and its CPU time.
'use strict';

const fs = require('node:fs');

const TICKS = 100; // a second, on every Linux in use

function read(file) {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return ''; // it has ended
  }
}

// The most it has held since `forgetPeak`, in bytes: the kernel's own count, so that nothing is missed between two looks.
function peakBytes(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function forgetPeak(pid) {
  try {
    fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // without it, the peak is that of its whole life
  }
}

function cpuSeconds(pid) {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS;
}

module.exports = { peakBytes, forgetPeak, cpuSeconds };
