import type { HttpResponse } from '@grantkit/core'
import { DOCTOR_AGENT, type VerdictId } from '@grantkit/explain'
import { type Check, Skipped } from './check.ts'
import { ENDPOINT_CHECKS } from './endpoint-checks.ts'
import { type Ask, type Evidence, PROBES, type Probe, REGISTERING_PROBES } from './evidence.ts'
import { METADATA_CHECKS } from './metadata-checks.ts'
import { PAGE_CHECKS } from './page-checks.ts'
import { KNOWN_CLIENTS_CHECK } from './ways-of-known-clients.ts'

/**
 * Sends a probe without following redirects. The answer has header names in lower case. Rejects when no answer comes.
 */
export type SendProbe = (probe: Probe) => Promise<HttpResponse>

export interface DiagnosisOptions {
  /**
   * Whether the doctor may register a temporary client. Without it, the checks that need a client are skipped. Default
   * true.
   */
  readonly register?: boolean | undefined
  /** An ID token of the deployment, to examine as well. */
  readonly idToken?: string | undefined
  /**
   * Whether probes may go to other origins than those of the base URL and the resource, where the metadata name them.
   * What would be a POST never does. Default false.
   */
  readonly follow?: boolean | undefined
  /** The resource to examine, such as an MCP server, where it is not the base URL. */
  readonly resource?: string | undefined
  /** The doctor's clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
}

/** The verdict of one check. */
export interface Finding {
  readonly id: string
  readonly title: string
  readonly verdict: 'passed' | 'failed' | 'skipped'
  /** The fault that was seen. Failures only. */
  readonly seen?: string
  /** How to remove the fault. Failures only. */
  readonly fix?: string
  /** The verdict of `@grantkit/explain` on a sign-in that the fault stops. Failures only. */
  readonly causes?: VerdictId
  /** Why it was skipped. Skipped checks only. */
  readonly reason?: string
  /** What else was seen where there is no fault. A few checks only. */
  readonly note?: string
}

/**
 * Sends probes to a live deployment, and examines the answers. A missing answer is a finding, not an error.
 *
 * @param baseUrl the http or https address that clients use, which is exactly the issuer
 *
 * @example
 * ```ts
 * import { diagnose, sendByFetch } from '@grantkit/doctor'
 *
 * const findings = await diagnose('https://auth.example', sendByFetch)
 * ```
 */
export async function diagnose(
  baseUrl: string,
  send: SendProbe,
  options: DiagnosisOptions = {},
): Promise<readonly Finding[]> {
  const { register = true } = options
  const probes = { ...PROBES, ...(register ? REGISTERING_PROBES : {}) }
  return examine(await evidenceOf(baseUrl, send, probes, options))
}

/**
 * The pure half: one finding per check, on any evidence.
 *
 * @example
 * ```ts
 * import { type Evidence, examine } from '@grantkit/doctor'
 *
 * export const faultsOf = (evidence: Evidence) => examine(evidence).filter(({ verdict }) => verdict === 'failed')
 * ```
 */
export function examine(evidence: Evidence): readonly Finding[] {
  return CHECKS.map((check) => findingOf(check, evidence))
}

const CHECKS = [...METADATA_CHECKS, KNOWN_CLIENTS_CHECK, ...ENDPOINT_CHECKS, ...PAGE_CHECKS]

/** Sends the probes one after another. */
export async function evidenceOf(
  baseUrl: string,
  send: SendProbe,
  probes: Readonly<Record<string, Ask>>,
  options: DiagnosisOptions,
): Promise<Evidence> {
  const { follow = false, idToken, resource = baseUrl } = options
  const { now = () => Math.floor(Date.now() / 1000) } = options
  const answers: Record<string, HttpResponse | undefined> = {}
  for (const [name, ask] of Object.entries(probes)) {
    const probe = ask(baseUrl, answers, resource)
    if (probe && (follow || isAtHome(probe, [baseUrl, resource])) && !postsElsewhere(probe, baseUrl))
      answers[name] = await send(marked(probe)).catch(() => undefined)
  }
  return { baseUrl, resource, answers, now: now(), idToken }
}

/** So that an operator knows the failed sign-ins of the doctor. */
function marked(probe: Probe): Probe {
  return { ...probe, headers: { ...probe.headers, 'user-agent': DOCTOR_AGENT } }
}

function isAtHome({ url }: Probe, home: readonly string[]): boolean {
  return home.some((address) => new URL(address).origin === new URL(url).origin)
}

/** The examined server names URLs: it must not cause writes anywhere else. */
function postsElsewhere(probe: Probe, baseUrl: string): boolean {
  return probe.method === 'POST' && !isAtHome(probe, [baseUrl])
}

/** What one check says to evidence of its kind. */
export function findingOf<Seen>(check: Check<Seen>, evidence: Seen): Finding {
  const { id, title, fix, causes, examine, note } = check
  const seen = examine(evidence)
  if (seen === undefined) return { id, title, verdict: 'passed', ...(note && { note: note(evidence) }) }
  if (seen instanceof Skipped) return { id, title, verdict: 'skipped', reason: seen.reason }
  return { id, title, verdict: 'failed', seen, fix, ...(causes && { causes }) }
}
