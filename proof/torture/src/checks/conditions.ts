import type { Calibration } from '../calibrate/calibration.ts'
import type { Bench } from '../stage/bench.ts'

/** Reasons why a check cannot run, each `undefined` when it can. */

export function needsRefresh({ refreshes }: Calibration): string | undefined {
  return refreshes ? undefined : 'it needs grants with refresh tokens'
}

export function needsRotation(seen: Calibration): string | undefined {
  if (seen.rotation === 'none') return 'the server does not rotate refresh tokens'
  return needsRefresh(seen)
}

export function needsEndpoint(
  bench: Bench,
  ...names: readonly (keyof Bench['endpoints'])[]
): string | undefined {
  const missing = names.find((name) => bench.endpoints[name] === undefined)
  return missing && `the server has no ${missing} endpoint`
}

/** Something that says whether an access token is accepted. */
export function needsResource({ endpoints, introspector }: Bench): string | undefined {
  const has = endpoints.userinfo ?? introspector
  return has === undefined
    ? 'it needs --resource, or an introspection endpoint that a client may ask'
    : undefined
}

export function needsSlow({ slow }: Bench): string | undefined {
  return slow ? undefined : 'it waits for expiry, which --slow allows'
}
