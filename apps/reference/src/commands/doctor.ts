import { parseArgs, styleText } from 'node:util'
import { diagnose, type Finding, type HttpResponse, type Probe } from '@grantkit/core'

/** Examines a live deployment from outside, as its clients see it. */

const USAGE = `pnpm doctor <base URL> [--json] [--no-register] [--id-token <token>]

  --json          the findings as JSON
  --no-register   do not register the throw-away client that some checks need
  --id-token      an ID token of the deployment, to be examined too

Ends with 0 when every check passed, 1 when one failed, 2 when there was nothing to examine.`
const SIGNS = {
  passed: styleText('green', '✓'),
  failed: styleText('red', '✗'),
  skipped: styleText('dim', '–'),
}
const PATIENCE_MS = 10_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    'no-register': { type: 'boolean', default: false },
    'id-token': { type: 'string' },
  },
})

process.exitCode = await run(positionals[0])

async function run(baseUrl: string | undefined): Promise<number> {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return tell(USAGE, 2)
  const unreachable = await reach(baseUrl)
  if (unreachable !== undefined) return tell(`Nothing answers at ${baseUrl}: ${unreachable}`, 2)
  const options = { register: !values['no-register'], idToken: values['id-token'] }
  const findings = await diagnose(baseUrl, send, options)
  const failed = findings.some(({ verdict }) => verdict === 'failed')
  return tell(values.json ? JSON.stringify(findings, null, 2) : table(baseUrl, findings), failed ? 1 : 0)
}

async function reach(baseUrl: string): Promise<string | undefined> {
  return send({ method: 'GET', url: baseUrl }).then(
    () => undefined,
    (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
  )
}

async function send({ method, url, headers = {}, body }: Probe): Promise<HttpResponse> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const init = {
    method,
    headers,
    redirect: 'manual',
    signal,
    ...(body === undefined ? {} : { body }),
  } as const
  const response = await fetch(url, init)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

function table(baseUrl: string, findings: readonly Finding[]): string {
  const count = (wanted: Finding['verdict']) => findings.filter(({ verdict }) => verdict === wanted).length
  const summary = `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
  return [`\n${styleText('bold', baseUrl)}\n`, ...findings.map(row), `\n${summary}`, note()].join('\n')
}

function row({ verdict, title, seen, mend }: Finding): string {
  const details = verdict === 'failed' ? `\n      ${styleText('red', String(seen))}\n      ${mend}` : ''
  return `  ${SIGNS[verdict]} ${title}${details}`
}

function note(): string {
  if (values['no-register']) return ''
  return styleText(
    'dim',
    'A client named "Grantkit doctor" was registered; the server forgets it, since nobody approves it.',
  )
}

function tell(text: string, status: number): number {
  console.log(text)
  return status
}
