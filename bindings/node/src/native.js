'use strict';

const { version } = require('../package.json');

// Each platform's addon is a package of its own, from which npm chooses by `os`, `cpu` and `libc`. An npm that ignores `libc` installs both
// packages of Linux: the one that does not fit this system does not load. The names stand in `require`, where Next.js finds what to deploy.
const ADDONS = {
  'linux-x64': [() => require('@merchantpay/linux-x64-gnu'), () => require('@merchantpay/linux-x64-musl')],
  'linux-arm64': [() => require('@merchantpay/linux-arm64-gnu'), () => require('@merchantpay/linux-arm64-musl')],
  'linux-arm': [() => require('@merchantpay/linux-arm-gnueabihf')],
  'darwin-arm64': [() => require('@merchantpay/darwin-arm64')],
  'win32-x64': [() => require('@merchantpay/win32-x64')],
};

function load() {
  const platform = `${process.platform}-${process.arch}`;
  const faults = [];
  for (const addon of ADDONS[platform] ?? []) {
    try {
      const native = addon();
      const its = native.Handle.version();
      if (its === version) return native;
      faults.push(`it has version ${its}, and merchantpay ${version}`);
    } catch (error) {
      faults.push(error.message.split('\n')[0]);
    }
  }
  if (faults.length === 0) faults.push('there is none for this platform');
  // npm leaves the addon out with --omit=optional, and if the lock file was written on another platform (npm/cli#4828).
  throw new Error(
    `merchantpay has no addon for ${platform}: ${faults.join('; ')}. It is an optional dependency of merchantpay: remove node_modules and ` +
      'the lock file, and install without --omit=optional on the platform that runs the program.',
  );
}

module.exports = load();
