import type { DeviceAuthorization } from './device.ts'

/** How a run comes to grants. A check that no way can serve is skipped. */
export interface Ways {
  /** Takes the user from the authorization request to the callback. @returns the URL of the callback */
  readonly authorize?: ((url: string) => Promise<string>) | undefined
  /** Refresh tokens that the owner supplies, each of a grant of its own. Who uses one takes it out. */
  readonly tokens?: string[] | undefined
  /** Approves a device as its user. */
  readonly approve?: ((device: DeviceAuthorization) => Promise<void>) | undefined
  /** Takes an approval back before its code is redeemed. @param what the URL of the callback, or the user code of a device */
  readonly deny?: ((what: string) => Promise<void>) | undefined
}

/** What a run can do, as the conditions of the checks name it. */
export type Ability = 'code' | 'device' | 'deny'

const REASONS: Readonly<Record<Ability, string>> = {
  code: 'it needs codes: --cookie, --form or --authorize',
  device: 'it needs the device grant: a device authorization endpoint, and --approve',
  deny: 'it needs --deny, a command that takes an approval back',
}

/** Why the ways cannot serve a check. */
export function missingAbility(ways: Ways, ability: Ability): string | undefined {
  const has = { code: ways.authorize, device: ways.approve, deny: ways.deny }[ability] !== undefined
  return has ? undefined : REASONS[ability]
}
