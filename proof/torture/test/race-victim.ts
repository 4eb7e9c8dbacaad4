import type { CheckId } from '../src/check-id.ts'
import type { Client } from '../src/client/client-authentication.ts'
import type { TortureOptions } from '../src/run/options.ts'
import { type TortureReport, torture } from '../src/run/torture.ts'
import type { Fault, VictimOptions } from './victim/faults.ts'
import { startVictim, type Victim } from './victim/victim.ts'

/** How a fault is found: by which check, in which correct server it was planted, and what the run has to be told. */
export interface Hunt {
  readonly check: CheckId
  readonly victim?: VictimOptions
  readonly options?: Partial<TortureOptions>
}

const STRICT = { victim: { variant: 'strict' }, options: { declared: { rotation: 'strict' } } } as const
const SLOW = { codeSeconds: 2, slow: true, declared: { clockSkewSeconds: 1 } } as const

export const HUNTS: Readonly<Record<Fault, Hunt>> = {
  1: { check: 'code-twice' },
  2: { check: 'refresh-twice' },
  3: { check: 'replay-contained', ...STRICT },
  4: { check: 'same-second' },
  5: { check: 'crash' },
  6: { check: 'refresh-vs-revoke' },
  7: { check: 'after-revoke' },
  8: { check: 'after-revoke' },
  9: { check: 'replay-contained' },
  10: { check: 'lost-answer' },
  11: { check: 'neighbours' },
  12: { check: 'expired-code', victim: { codeSeconds: 2 }, options: SLOW },
  13: { check: 'clock' },
  14: { check: 'quiet' },
  15: { check: 'device-twice' },
  16: { check: 'after-logout' },
  17: { check: 'redeem-vs-deny' },
  18: { check: 'exchange-outlives' },
  19: { check: 'code-twice' },
  20: { check: 'replicas' },
}

/** Races a victim with a fault by the check that is to find it, or by other checks. */
export async function huntFault(fault: Fault, options: Partial<TortureOptions> = {}): Promise<TortureReport> {
  const { check, victim, options: told } = HUNTS[fault]
  return raceVictim({ ...victim, fault }, { only: [check], ...told, ...options })
}

/** Races a victim by all ways to grants. */
export async function raceVictim(
  which: VictimOptions,
  options: Partial<TortureOptions> = {},
): Promise<TortureReport> {
  const victim = await startVictim(which)
  try {
    return await torture({ ...optionsFor(victim), ...options })
  } finally {
    await victim.close()
  }
}

const CLIENTS: readonly Client[] = [
  { id: 'app', method: 'none' },
  { id: 'web', secret: 'secret', method: 'basic' },
]

function optionsFor(victim: Victim): TortureOptions {
  const { issuer, replicas } = victim
  const asAda = (path: string) =>
    fetch(`${issuer}${path}`, { method: 'POST', headers: { cookie: 'user=ada' } })
  return {
    ...{ issuer, replicas, clients: CLIENTS, cookie: 'user=ada', crash: victim.restart },
    scope: ['openid', 'read', 'offline_access'],
    approve: async ({ userCode }) => void (await asAda(`/device?user_code=${userCode}`)),
    deny: async (what) => void (await asAda(`/deny?code=${denied(what)}`)),
    limits: { rate: 1000 },
  }
}

/** The code of a callback, or the user code of a device. */
function denied(what: string): string {
  return (URL.canParse(what) && new URL(what).searchParams.get('code')) || what
}
