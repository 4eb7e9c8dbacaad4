/** Loaded before the service (`node --import`): a machine whose clock is wrong by some seconds. */
const skewMs = Number(process.env.CLOCK_SKEW_SECONDS) * 1000
const { now } = Date
Date.now = () => now() + skewMs
