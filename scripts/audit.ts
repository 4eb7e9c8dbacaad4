/**
 * Asks the configured registry for known vulnerabilities of production dependencies. A high or critical one fails the
 * run. An unreachable registry does not, so that it cannot block a build.
 */
import { spawnSync } from 'node:child_process'
import { readCommandLine } from '../apps/reference/src/commands/command-line.ts'

interface Report {
  readonly advisories: Readonly<Record<string, Advisory>>
  readonly metadata: { readonly totalDependencies: number }
}

interface Advisory {
  readonly module_name: string
  readonly severity: 'info' | 'low' | 'moderate' | 'high' | 'critical'
  readonly title: string
  readonly url: string
  readonly vulnerable_versions: string
  readonly findings: readonly { readonly version: string }[]
}

const FAILING = ['high', 'critical']
const MAX_WAIT_MS = 120_000

const USAGE = `pnpm vulnerabilities [--registry <URL>]

  --registry  which one to ask; the configured one if left out`

const { values } = readCommandLine(USAGE, { options: { registry: { type: 'string' } } })
const registry = values.registry === undefined ? [] : ['--registry', values.registry]
const { stdout, stderr, error } = spawnSync('pnpm', ['audit', '--prod', '--json', ...registry], {
  encoding: 'utf8',
  timeout: MAX_WAIT_MS,
})
if (error && 'code' in error && error.code === 'ENOENT') throw error

const report = reportIn(stdout)
if (report === undefined) console.log(`Not checked for known vulnerabilities: ${reasonIn(stderr)}`)
else reportAdvisories(report)

function reportAdvisories({ advisories, metadata }: Report): void {
  const found = Object.values(advisories)
  for (const advisory of found) console.log(lineOf(advisory))
  const failing = found.filter(({ severity }) => FAILING.includes(severity))
  console.log(
    `${metadata.totalDependencies} packages in production, ${found.length} known vulnerabilities, ${failing.length} of them high or critical`,
  )
  if (failing.length > 0) process.exitCode = 1
}

function reportIn(output: string): Report | undefined {
  try {
    const report = JSON.parse(output)
    return report.advisories === undefined ? undefined : report
  } catch {
    return undefined
  }
}

/** Only the code: the rest names the host that did not answer. */
function reasonIn(output: string): string {
  const code = /ERR_PNPM_\w+/.exec(output)?.[0]
  return code === undefined ? 'no registry answered in time' : `no registry gave an answer (${code})`
}

function lineOf({ severity, module_name, findings, vulnerable_versions, title, url }: Advisory): string {
  const versions = [...new Set(findings.map(({ version }) => version))].join(', ')
  return `${severity}: ${module_name} ${versions} (${vulnerable_versions}): ${title} ${url}`
}
