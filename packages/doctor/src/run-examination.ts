import { terminalText } from '@grantkit/core/feature'
import { safeFetch } from '@grantkit/safe-fetch'
import type { Examination } from './command-line.ts'
import { type DiagnosisOptions, diagnose, type Finding } from './diagnose.ts'
import { examineClient } from './examine-client.ts'
import { examineKnownClient, unknownClientReason } from './examine-known-client.ts'
import { report } from './report.ts'
import { sendByFetch, unreachableReason } from './send-by-fetch.ts'

/** Examines a deployment and prints the findings. @returns the exit status: 1 if a check failed, 2 if nothing answers */
export async function runExamination({ baseUrl, json, client, ...options }: Examination): Promise<number> {
  if (client?.includes('://'))
    return print(client, await examineClient(client, safeFetch({ issuer: baseUrl })), json)
  const problem = (client && unknownClientReason(client)) ?? (await silenceOf(baseUrl))
  if (problem === undefined) return print(baseUrl, await findingsOf(baseUrl, client, options), json)
  console.error(terminalText(problem))
  return 2
}

async function silenceOf(baseUrl: string): Promise<string | undefined> {
  const reason = await unreachableReason(baseUrl)
  return reason && `Nothing answers at ${baseUrl}: ${reason}`
}

function findingsOf(baseUrl: string, client: string | undefined, options: DiagnosisOptions) {
  return client === undefined
    ? diagnose(baseUrl, sendByFetch, options)
    : examineKnownClient(client, baseUrl, sendByFetch, options)
}

function print(subject: string, findings: readonly Finding[], json: boolean): number {
  const lines = json
    ? JSON.stringify(findings, null, 2).split('\n').map(terminalText)
    : report(subject, findings)
  console.log(lines.join('\n'))
  return findings.some(({ verdict }) => verdict === 'failed') ? 1 : 0
}
