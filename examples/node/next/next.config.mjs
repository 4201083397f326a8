// The addon is loaded at run time: a bundler cannot pack it.
export default { serverExternalPackages: ['merchantpay'] };
