import type { Client } from '../client/client-authentication.ts'
import { Stage } from '../stage/stage.ts'
import { TokenRotation } from '../stage/token-rotation.ts'
import type { Calibration } from './calibration.ts'

/** More than a second, so that a server that compares whole seconds does not look as if it had an overlap. */
const PAUSE_SECONDS = 1.1

/**
 * Asks in sequence what the server does, so that a race is judged by the rules of this server.
 *
 * @throws NoApproval when there is no way to a grant
 */
export async function calibrate({ bench, leftovers }: Stage): Promise<Calibration> {
  // At one replica: a second one with another clock is a finding, and not a rule.
  const stage = new Stage({ ...bench, replicas: bench.replicas.slice(0, 1) }, 'c', leftovers)
  const introspector = await introspectorOf(stage)
  const { rotation, overlapSeconds } = await spentToken(stage)
  const rotates = rotation !== 'none'
  const replayEndsFamily = rotates ? await endsAtReplay(stage) : false
  const logoutEnds = await endsAtLogout(stage)
  return { rotation, overlapSeconds, replayEndsFamily, refreshes: true, logoutEnds, introspector }
}

/** Some servers let only resource servers introspect, and some only the client of the token. */
async function introspectorOf(stage: Stage): Promise<Client | undefined> {
  if (stage.bench.endpoints.introspection === undefined) return undefined
  const grant = await stage.hold()
  for (const client of stage.bench.clients) {
    const { operation } = await stage.send(stage.attempts.introspect(grant, grant.tokens.access, { client }))
    if (operation.active === true) return client
  }
  return undefined
}

async function spentToken(stage: Stage): Promise<Pick<Calibration, 'rotation' | 'overlapSeconds'>> {
  const grant = await stage.hold()
  const app = new TokenRotation(stage, grant)
  const spent = await app.rotate()
  if (app.refresh === spent) return { rotation: 'none', overlapSeconds: 0 }
  await stage.wait(PAUSE_SECONDS)
  const { tokens } = await stage.send(stage.attempts.refresh(grant, spent))
  if (tokens.refresh === undefined) return { rotation: 'strict', overlapSeconds: 0 }
  const isSame = tokens.refresh === app.refresh && tokens.access === app.access
  return { rotation: isSame ? 'same-pair' : 'overlap', overlapSeconds: PAUSE_SECONDS }
}

async function endsAtReplay(stage: Stage): Promise<boolean> {
  const grant = await stage.hold()
  const app = new TokenRotation(stage, grant)
  const spent = await app.rotate()
  await app.rotate()
  await stage.send(stage.attempts.refresh(grant, spent, { process: 'thief' }))
  const { operation } = await stage.send(stage.attempts.refresh(grant, app.refresh))
  return operation.result === 'fail'
}

async function endsAtLogout(stage: Stage): Promise<boolean | undefined> {
  const { endSession, userinfo } = stage.bench.endpoints
  if (endSession === undefined || userinfo === undefined) return undefined
  const grant = await stage.hold()
  if (grant.tokens.idToken === undefined) return undefined
  await stage.send(stage.attempts.logOut(grant, grant.tokens.idToken))
  const { operation } = await stage.send(stage.attempts.use(grant, grant.tokens.access))
  return operation.active === false
}
