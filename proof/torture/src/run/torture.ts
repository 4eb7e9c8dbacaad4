import { randomInt } from 'node:crypto'
import { calibrate } from '../calibrate/calibrate.ts'
import { type Calibration, UNKNOWN } from '../calibrate/calibration.ts'
import type { CheckId } from '../check-id.ts'
import { CHECK_IDS } from '../check-id.ts'
import { ALL_CHECKS } from '../checks/all-checks.ts'
import { OutOfBudget } from '../client/budget.ts'
import { NoRefreshToken } from '../grants/no-approval.ts'
import type { Finding } from '../history/judge.ts'
import type { Round } from '../history/ndjson.ts'
import { CHECKS } from '../history/rules/table.ts'
import { mergeRounds } from '../report/merge.ts'
import type { Report } from '../report/report.ts'
import { rerunLine } from '../report/rerun.ts'
import { Leftovers } from '../stage/leftovers.ts'
import { Stage } from '../stage/stage.ts'
import { expectationFor } from './expectation.ts'
import { judgeRound } from './judge-rounds.ts'
import { openBench } from './open-bench.ts'
import type { TortureOptions } from './options.ts'
import { type PlayedChecks, runChecks } from './run-checks.ts'

/** A report, with what it was made from. */
export interface TortureReport extends Report {
  readonly calibration: Calibration
  readonly history: readonly Round[]
  /** Why rounds did not come to an end, each reason once. */
  readonly interruptions: readonly string[]
  /** What the run cost the server. */
  readonly sent: { readonly requests: number; readonly grants: number }
}

/**
 * Races the token endpoint of a server. It ends grants, needs a user, and may restart the server: not for production.
 *
 * @throws HostRefused for a host that the options do not allow
 * @throws NoMetadata, NoApproval when the server or the way to grants does not work
 *
 * @example
 * ```ts
 * import { torture } from '@grantkit/torture'
 *
 * const report = await torture({ issuer: 'http://127.0.0.1:3000', cookie: 'session=…', register: true })
 * console.log(report.findings.filter(({ verdict }) => verdict === 'unsafe'))
 * ```
 */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const seed = options.seed ?? randomInt(2 ** 32)
  const bench = await openBench(options, seed)
  const leftovers = new Leftovers()
  try {
    const calibration = await calibratedOrUnknown(new Stage(bench, 'c', leftovers))
    const stage = new Stage({ ...bench, introspector: calibration.introspector }, 'g', leftovers)
    const checks = ALL_CHECKS.filter(({ id }) => options.only === undefined || options.only.includes(id))
    const played = await runChecks(stage, checks, calibration)
    await revokeLeftovers(stage)
    const { requests, grants } = bench.budget
    return { ...reportOf(options, seed, calibration, played), calibration, sent: { requests, grants } }
  } finally {
    bench.transport.close()
  }
}

async function calibratedOrUnknown(stage: Stage): Promise<Calibration> {
  try {
    return await calibrate(stage)
  } catch (error) {
    if (error instanceof NoRefreshToken) return UNKNOWN
    throw error
  }
}

/** What the run did not end. Without a revocation endpoint it expires. */
async function revokeLeftovers({ bench, leftovers, attempts }: Stage): Promise<void> {
  bench.budget.endRun()
  if (bench.endpoints.revocation === undefined) return
  for (const { client, token } of leftovers.takeAll()) {
    const { request } = attempts.revoke({ family: '', client, scope: [] }, token)
    try {
      await bench.transport.send(request)
    } catch (error) {
      if (error instanceof OutOfBudget) return
      throw error
    }
  }
}

function reportOf(
  options: TortureOptions,
  seed: number,
  seen: Calibration,
  { rounds, skipped }: PlayedChecks,
) {
  const { issuer, declared = {} } = options
  const found = rounds.flatMap((round) => judgeRound(round, seen, declared))
  const merged = CHECK_IDS.map((id) => found.filter((finding) => finding.id === id))
    .filter((findings) => findings.length > 0)
    .map((findings) => withRerun(mergeRounds(findings), options, seed))
  const names = new Set(merged.map(({ id }) => id))
  return {
    ...{ issuer, seed: String(seed) },
    findings: [...merged, ...skipped.filter(({ check }) => !names.has(check)).map(skippedFinding)],
    interruptions: [...new Set(rounds.flatMap(({ reason }) => reason ?? []))],
    rounds: { planned: rounds.length, ended: rounds.filter(({ ended }) => ended).length },
    history: rounds.map(({ check, history }) => ({
      ...{ check, seed: String(seed), operations: [...history] },
      declared: expectationFor(check, seen, declared),
    })),
  }
}

function withRerun(
  finding: Finding,
  { issuer, rerunArguments: args }: TortureOptions,
  seed: number,
): Finding {
  const failed = ['unsafe', 'lossy', 'noisy'].includes(finding.verdict)
  if (!failed) return finding
  return { ...finding, rerun: rerunLine({ issuer, check: finding.id, seed: String(seed), args }) }
}

function skippedFinding({ check, reason }: { readonly check: CheckId; readonly reason: string }): Finding {
  return { id: check, title: CHECKS[check].title, verdict: 'skipped', seen: reason, fix: '', rfc: '' }
}
