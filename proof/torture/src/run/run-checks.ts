import type { Calibration } from '../calibrate/calibration.ts'
import type { CheckId } from '../check-id.ts'
import type { Check } from '../checks/check.ts'
import { OutOfBudget } from '../client/budget.ts'
import { HostRefused } from '../client/hosts.ts'
import type { Operation } from '../history/operation.ts'
import type { Stage } from '../stage/stage.ts'

/** A round that was planned: its history, or why it did not come to an end. */
export interface PlayedRound {
  readonly check: CheckId
  readonly history: readonly Operation[]
  readonly ended: boolean
  readonly reason?: string | undefined
}

export interface PlayedChecks {
  readonly rounds: readonly PlayedRound[]
  readonly skipped: readonly { readonly check: CheckId; readonly reason: string }[]
}

/** Plays all rounds. After a limit the rest is planned and not played. */
export async function runChecks(
  stage: Stage,
  checks: readonly Check[],
  seen: Calibration,
  onRound: (round: PlayedRound) => void = () => {},
): Promise<PlayedChecks> {
  const rounds: PlayedRound[] = []
  const skipped: { check: CheckId; reason: string }[] = []
  let over: string | undefined
  for (const check of checks) {
    const reason = check.missing(stage.bench, seen)
    if (reason !== undefined) {
      skipped.push({ check: check.id, reason })
      continue
    }
    for (let round = 0; round < check.rounds; round++) {
      const played = over === undefined ? await playedRound(stage, check, round) : unplayed(check, over)
      over ??= played.over
      rounds.push(played)
      onRound(played)
    }
  }
  return { rounds, skipped }
}

async function playedRound(
  stage: Stage,
  check: Check,
  round: number,
): Promise<PlayedRound & { over?: string }> {
  const { recorder } = stage.bench
  const from = recorder.length
  try {
    await check.round(stage, round)
    return { check: check.id, history: recorder.since(from), ended: true }
  } catch (error) {
    // A refused host is no result of a round.
    if (error instanceof HostRefused) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const cut = { check: check.id, history: recorder.since(from), ended: false, reason }
    return error instanceof OutOfBudget ? { ...cut, over: reason } : cut
  }
}

function unplayed({ id }: Check, reason: string): PlayedRound & { over?: string } {
  return { check: id, history: [], ended: false, reason }
}
