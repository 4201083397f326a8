'use strict';

const { existsSync, readFileSync } = require('node:fs');

const { version } = require('../package.json');

// Each platform's addon is a package of its own, from which npm chooses by `os`, `cpu` and `libc`. The names stand in `require`, where Next.js
// finds what to deploy.
const ADDONS = {
  'darwin-arm64': () => require('@merchantpay/darwin-arm64'),
  'linux-arm-gnueabihf': () => require('@merchantpay/linux-arm-gnueabihf'),
  'linux-arm64-gnu': () => require('@merchantpay/linux-arm64-gnu'),
  'linux-arm64-musl': () => require('@merchantpay/linux-arm64-musl'),
  'linux-x64-gnu': () => require('@merchantpay/linux-x64-gnu'),
  'linux-x64-musl': () => require('@merchantpay/linux-x64-musl'),
  'win32-x64': () => require('@merchantpay/win32-x64'),
};

/** The files in this process's memory. A report of Node.js has its C library too, but looks up the names of all its connections. */
const MAPS = '/proc/self/maps';

function load() {
  const platform = `${process.platform}-${process.arch}`;
  const names = Object.keys(ADDONS).filter((name) => `${name}-`.startsWith(`${platform}-`));
  if (names.length === 0) throw new Error(`merchantpay has no addon for ${platform}, only for ${Object.keys(ADDONS).join(', ')}`);
  // An npm that ignores `libc` installs both, and Alpine's gcompat would load that of glibc too.
  if (existsSync(MAPS) && readFileSync(MAPS, 'latin1').includes('/ld-musl-')) names.reverse();
  const faults = [];
  for (const name of names) {
    try {
      const native = ADDONS[name]();
      const its = native.Handle.version();
      if (its === version) return native;
      faults.push(`it has version ${its}, and merchantpay ${version}`);
    } catch (error) {
      faults.push(error.message.split('\n')[0]);
    }
  }
  // npm leaves the addon out with --omit=optional, and if the lock file was written on another platform (npm/cli#4828).
  throw new Error(
    `merchantpay has no addon for ${platform}: ${faults.join('; ')}. It is an optional dependency of merchantpay: remove node_modules and ` +
      'the lock file, and install without --omit=optional on the platform that runs the program.',
  );
}

module.exports = load();
