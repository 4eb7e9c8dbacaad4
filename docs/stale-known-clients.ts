import { KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'

const DAY = 24 * 60 * 60 * 1000
const LOOK_AGAIN_AFTER = 180
const OFF_AFTER = 365

/**
 * What a maintainer must do about entries whose source was not looked at for long. It depends on the day, so it is said and
 * nothing fails.
 *
 * @param now milliseconds since the epoch
 */
export function staleKnownClients(
  now: number,
  entries: readonly KnownClient[] = KNOWN_CLIENTS,
): readonly string[] {
  return entries.flatMap(({ id, seen, source }) => {
    const age = Math.floor((now - Date.parse(seen)) / DAY)
    if (age <= LOOK_AGAIN_AFTER) return []
    const remedy =
      age > OFF_AFTER
        ? 'look at its source and renew `seen`, or take it out of the default set with a line in the changelog'
        : 'look at its source and renew `seen`'
    return [`The known client ${id} was seen ${age} days ago: ${remedy} (${source})`]
  })
}
