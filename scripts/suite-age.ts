/**
 * Fails if the results in docs/openid-suite.json are too old for a release. With
 * `CONFORMANCE` other than `on`, the repository does not run the suite every night, so it only warns.
 */
import { BY_HAND, type SuiteResult, suiteResults } from '../docs/openid-suite-table.ts'

/** Days. */
const MAX_AGE = 14

/** One sentence for each plan whose results are older. The plan that a person runs does not count. */
export function oldResults(results: readonly SuiteResult[], now: number): string[] {
  const days = (date: string) => Math.floor((now - Date.parse(date)) / 86_400_000)
  return results
    .filter(({ plan, date }) => plan !== BY_HAND && days(date) > MAX_AGE)
    .map(
      ({ plan, date }) =>
        `The results of the plan ${plan} are ${days(date)} days old (at most ${MAX_AGE} for a release)`,
    )
}

if (import.meta.main) {
  const old = oldResults(suiteResults(), Date.now())
  const fails = process.env.CONFORMANCE === 'on'
  // An annotation of GitHub.
  for (const sentence of old) console.log(`::${fails ? 'error' : 'warning'}::${sentence}`)
  if (old.length > 0) console.log('docs/openid-suite.md says how to run the suite and record its results.')
  process.exitCode = fails && old.length > 0 ? 1 : 0
}
