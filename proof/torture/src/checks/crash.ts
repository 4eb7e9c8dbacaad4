import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../stage/bench.ts'
import type { Stage } from '../stage/stage.ts'
import { TokenRotation } from '../stage/token-rotation.ts'
import { type Check, probes } from './check.ts'
import { needsRotation } from './conditions.ts'

/** How long a server may take to come back, in milliseconds. */
const READY_MS = 60_000

/** The server ends in the middle of a refresh, or after it acknowledged one. Neither is forgotten (CVE-2026-9802). */
export const crash: Check = {
  id: 'crash',
  rounds: 4,
  cost: { grants: 1, requests: 20 },
  missing: (bench, seen) =>
    bench.crash ? needsRotation(seen) : 'it needs --crash, a command that restarts the server',
  async round(stage, round) {
    const app = new TokenRotation(stage, await stage.hold())
    const { grant } = app
    const spent = await app.rotate()
    await app.rotate()
    if (round % 2 === 0) await restart(stage.bench)
    else {
      const inFlight = stage.send(stage.attempts.refresh(grant, app.refresh))
      await Promise.all([restart(stage.bench), inFlight.then((outcome) => app.keep(outcome))])
    }
    await app.rotate()
    await stage.send(stage.attempts.refresh(grant, spent, { process: 'thief' }))
    await afterwards(stage, app)
  },
}

async function afterwards(stage: Stage, app: TokenRotation): Promise<void> {
  for (const probe of probes(stage, app.grant, app.access)) await stage.send(probe)
  await app.rotate()
}

/** @throws Error when the server does not come back */
async function restart({ crash, transport, endpoints, replicas }: Bench): Promise<void> {
  await crash?.()
  const until = performance.now() + READY_MS
  for (const replica of replicas.length === 0 ? [undefined] : replicas)
    for (;;) {
      // Any answer will do: the token endpoint refuses a GET.
      const { answer } = await transport.send({ method: 'GET', url: endpoints.token }, replica)
      if (answer !== undefined && answer.status < 502) break
      if (performance.now() > until)
        throw new Error('The server did not come back within a minute after --crash.')
      await delay(100)
    }
}
