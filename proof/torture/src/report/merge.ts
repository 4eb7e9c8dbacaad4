import { type Finding, VERDICTS } from '../history/finding.ts'

/** The rounds of one check as one finding: the worst one, and in how many rounds it was seen. */
export function mergeRounds(rounds: readonly Finding[]): Finding {
  const [first, ...others] = rounds
  if (first === undefined) throw new Error('A check has at least one round.')
  const rank = ({ verdict }: Finding) => VERDICTS.indexOf(verdict)
  const worst = others.reduce((known, round) => (rank(round) < rank(known) ? round : known), first)
  const judged = rounds.filter(({ verdict }) => verdict !== 'skipped')
  if (judged.length < 2) return worst
  const same = rounds.filter(({ verdict }) => verdict === worst.verdict).length
  const seen =
    worst.verdict === 'passed'
      ? `${same} rounds, each explained.`
      : `${worst.seen} Seen in ${same} of ${judged.length} rounds.`
  return { ...worst, seen }
}
